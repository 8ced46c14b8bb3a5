#include "prior/parents.hpp"

#include <algorithm>

namespace ddsr::prior {

std::vector<Place> find_places(std::span<const int> arities, int length) {
  std::vector<Place> places(static_cast<std::size_t>(length), {UNKNOWN_PARENT, 2});
  int next = 1;  // the position of the next operand
  for (std::size_t i = 0; i < arities.size(); ++i)
    for (int side = 0; side < arities[i]; ++side, ++next)
      if (next < length) places[static_cast<std::size_t>(next)] = {static_cast<int>(i), std::min(side, 1)};
  if (length > 0) places[0] = {0, 2};
  return places;
}

}  // namespace ddsr::prior

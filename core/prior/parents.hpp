// The operator that each position of a breadth-first sequence belongs to.
#pragma once

#include <span>
#include <vector>

namespace ddsr::prior {

struct Place {
  int parent;  // position of the operator; UNKNOWN_PARENT if the tokens before do not determine it
  int side;    // 0 and 1: first and second operand, 2: unknown or the root
};

inline constexpr int UNKNOWN_PARENT = -1;

// `arities` has the arity of the token at each known position, the first ones of the sequence.
std::vector<Place> find_places(std::span<const int> arities, int length);

}  // namespace ddsr::prior

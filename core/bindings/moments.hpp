// Moments as Python hands them over: seconds from now.
#pragma once

#include "engine/fit.hpp"

namespace ddsr {

// The moment so many seconds from now; never, for more than anyone waits.
inline Moment moment_in(double seconds) {
  constexpr double NEVER = 1e9;
  if (!(seconds < NEVER)) return Moment::max();
  return Moment::clock::now() +
         std::chrono::duration_cast<Moment::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace ddsr

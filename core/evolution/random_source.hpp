// The random numbers of one step: a position in the counter-based streams of random.hpp.
//
// Each step of each island makes its own source, so no random state has to be saved.
#pragma once

#include "random.hpp"

namespace ddsr {

class RandomSource {
 public:
  RandomSource(std::uint64_t seed, std::uint64_t stream, std::uint32_t index)
      : seed_(seed), stream_(stream), index_(index) {}

  std::uint32_t bits() {
    if (n_left_ == 0) block_ = next_block(), n_left_ = 4;
    return block_[static_cast<std::size_t>(--n_left_)];
  }
  // in (0, 1)
  double uniform() {
    const std::uint32_t high = bits();
    return uniform_double(high, bits());
  }
  // in [0, n)
  int below(int n) { return static_cast<int>(std::uint64_t{bits()} * static_cast<std::uint64_t>(n) >> 32); }
  // in [least, most]
  int between(int least, int most) { return least + below(most - least + 1); }
  bool chance(double probability) { return uniform() < probability; }
  double normal() { return ddsr::normal(next_block()); }

 private:
  RandomBlock next_block() { return random_block(seed_, stream_, index_, position_++); }

  std::uint64_t seed_, stream_;
  std::uint32_t index_, position_ = 0;
  RandomBlock block_{};
  int n_left_ = 0;
};

}  // namespace ddsr

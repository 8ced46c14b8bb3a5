// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
//
// A number is a function only of where it is used, (seed, stream, index, position). There is no state to pass
// on, so results do not depend on how the work is split among threads.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ddsr {

using RandomBlock = std::array<std::uint32_t, 4>;

inline RandomBlock philox(std::array<std::uint32_t, 2> key, RandomBlock counter) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// Four independent 32-bit numbers. `stream` separates uses of one seed (an epoch, a step), `index` the rows
// of a batch, `position` the draws of a row.
inline RandomBlock random_block(std::uint64_t seed, std::uint64_t stream, std::uint32_t index,
                                std::uint32_t position) {
  return philox(
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      {position, index, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)});
}

// Uniform in (0, 1): the midpoints of 2^23 or 2^52 equal cells, so never 0 and never 1.
inline float uniform_float(std::uint32_t bits) { return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f; }
inline double uniform_double(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

// One standard normal number per block, by the Box–Muller method.
inline double normal(const RandomBlock& block) {
  const double radius = std::sqrt(-2.0 * std::log(uniform_double(block[0], block[1])));
  return radius * std::cos(2.0 * std::numbers::pi * uniform_double(block[2], block[3]));
}

}  // namespace ddsr

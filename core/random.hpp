// Random numbers that are a function of where they are used, not of how many were drawn before: the same
// for any number of threads, and reproducible one by one.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace ddsr {

// Philox4x32-10 (Salmon et al., 2011): four random words for a counter of four words and a key of two.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t seed) {
  std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(p0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// In (0, 1).
inline double uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

// A constant to start a fit from: either sign, magnitude log-normal around 1.
inline double random_start(std::uint64_t seed, std::uint64_t key, std::uint32_t attempt, std::uint32_t index) {
  constexpr double LOG_SPREAD = 1.5, TWO_PI = 6.283185307179586;
  const auto words = philox({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), attempt, index}, seed);
  const double radius = std::sqrt(-2.0 * std::log(uniform(words[0], words[1])));
  const double magnitude = std::exp(LOG_SPREAD * radius * std::cos(TWO_PI * uniform(words[2], words[3] & ~1u)));
  return words[3] & 1u ? -magnitude : magnitude;
}

}  // namespace ddsr

// For tests only: results that differ in their last bit, as those of another processor do.
//
// Processors agree on +, -, *, / and sqrt. They differ in elementary functions, which each math library
// rounds in its own way, and in sums of products, which some fuse. A build with -DDDSR_PERTURB=SEED moves
// such results by one unit in the last place, up, down or not at all, by a hash of the operands and the seed.
// The same operands always give the same result. Integers stay: exp(0) is 1 everywhere.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#ifndef DDSR_PERTURB
#define DDSR_PERTURB 0
#endif

// Internal linkage: each instruction set needs its own code, of which the linker would keep only one.
namespace ddsr {
namespace {

constexpr std::uint64_t PERTURBATION = DDSR_PERTURB;

// The finalizer of splitmix64, in which every input bit affects all output bits.
inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

inline std::uint64_t hashed(double a, double b) {
  return mixed(mixed(PERTURBATION + std::bit_cast<std::uint64_t>(a)) + std::bit_cast<std::uint64_t>(b));
}

// -1, 0 or 1
inline int nudge(double a, double b) { return static_cast<int>(hashed(a, b) % 3) - 1; }

inline bool can_move(double result) { return std::isfinite(result) && result != std::trunc(result); }

// `result` of an operation on `a` and `b`, perturbed; unchanged in a usual build.
inline double perturbed(double result, double a, double b = 0.0) {
  if constexpr (PERTURBATION == 0) return result;
  if (!can_move(result)) return result;
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(result) + nudge(a, b));
}

inline float perturbed(float result, float a, float b = 0.0f) {
  if constexpr (PERTURBATION == 0) return result;
  if (!can_move(result)) return result;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(result) + nudge(a, b));
}

}  // namespace
}  // namespace ddsr

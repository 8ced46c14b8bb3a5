// exp in single precision, in plain arithmetic that vectorises on any machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/perturbation.hpp"

// Internal linkage: each instruction set needs its own code, of which the linker would keep only one.
namespace ddsr {
namespace {

// exp(x) for |x| <= 87, to a relative error of about 1e-7: 2^n times a polynomial of the remainder (from the
// Cephes library). `Number` is a float or a register of floats, and `Bits` the unsigned integers of its size.
template <typename Number, typename Bits>
inline Number exp_of_moderate(Number x) {
  constexpr float ROUND = 12582912.0f;  // 1.5 * 2^23: adding it leaves an integer in the lowest bits
  const Number shifted = x * 1.44269504f + ROUND;
  const Number n = shifted - ROUND;
  const Number r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Number p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * std::bit_cast<Number>((std::bit_cast<Bits>(shifted) << 23) + 0x3F800000u);
}

// exp(x) for x <= 0; 0 below -87 and NaN for NaN.
inline float exp_of_negative(float x) {
  return x < -87.0f ? 0.0f : perturbed(exp_of_moderate<float, std::uint32_t>(x), x);
}

}  // namespace
}  // namespace ddsr

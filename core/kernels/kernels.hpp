// Loops over a block of rows, compiled for each instruction set; the best set is chosen at run time.
//
// Every pointer is aligned to 64 bytes, and the `n` of elementwise loops is a multiple of LANES. Blocks are
// padded, so that all rows take the same code path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expression/operators.hpp"

namespace ddsr {

struct NetworkKernels;

inline constexpr int LANES = 8;
inline constexpr int MAX_INTEGER_POWER = 8;

constexpr std::size_t padded(std::size_t n) { return (n + LANES - 1) / LANES * LANES; }

struct Kernels {
  const char* instruction_set;
  std::uint64_t perturbation;  // seed of perturbation.hpp; 0 in a usual build

  // out = op(a, b)
  using Value = void (*)(double* out, const double* a, const double* b, int n);
  Value value[N_OPERATORS];

  // out = adjoint * d op(a, b)/da (or /db), where v = op(a, b)
  using Slope = void (*)(double* out, const double* adjoint, const double* v, const double* a,
                         const double* b, int n);
  Slope slope_a[N_OPERATORS];
  Slope slope_b[N_OPERATORS];

  // out = a^exponent by multiplication, |exponent| <= MAX_INTEGER_POWER
  void (*integer_power)(double* out, const double* a, int exponent, int n);

  // The following take any n and sum in the same order on every machine.
  bool (*all_finite)(const double* v, int n);
  bool (*any_negative)(const double* v, int n);
  double (*sum)(const double* v, int n);
  double (*dot)(const double* a, const double* b, int n);
  // out = y - scale * f - offset (times root_weight, if not null); returns the sum of its squares.
  double (*residual)(double* out, const double* y, const double* f, double scale, double offset,
                     const double* root_weight, int n);

  // For each of n listed rows of n_tokens logits, computes the maximum (ignoring NaN) and exp(logit -
  // maximum) of each token in single precision, and 0 after the last up to `stride`, a multiple of 16.
  // Results go to the same rows of `largest` and `weights`; other rows stay unchanged.
  void (*weigh)(float* weights, float* largest, const float* logits, const int* rows, int n, int n_tokens,
                int stride);

  // For each of n_blocks blocks of sixteen columns s, stored row by row, computes four sums over n_rows rows
  // in single precision: w * s, w * s * s, v * s and u * s. Each sum has its sixteen values side by side.
  void (*correlate)(float* sums, const float* table, const float* w, const float* v, const float* u,
                    int n_rows, int n_blocks);

  const NetworkKernels* network;  // kernels/network.hpp
};

// The sets that this machine can run, fastest last.
std::vector<const Kernels*> available_kernels();

// The fastest set, or the one named by the environment variable DDSR_KERNELS. An unknown name throws.
const Kernels& kernels();

}  // namespace ddsr

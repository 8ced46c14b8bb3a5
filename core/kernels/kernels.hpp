// Loops over a block of rows, one set for each instruction set, the best one chosen at run time.
//
// Every pointer is aligned to 64 bytes, and `n` of the elementwise loops is a multiple of LANES: blocks are
// padded, so that no row is computed by another code path than its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expression/operators.hpp"

namespace ddsr {

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

  // The following take any n, and sum in the same order on every machine.
  bool (*all_finite)(const double* v, int n);
  bool (*any_negative)(const double* v, int n);
  double (*sum)(const double* v, int n);
  double (*dot)(const double* a, const double* b, int n);
  // out = y - scale * f - offset (times root_weight, if any); returns the sum of its squares
  double (*residual)(double* out, const double* y, const double* f, double scale, double offset,
                     const double* root_weight, int n);

  // For each of n listed rows of n_tokens logits: the largest (NaN left aside), and exp(logit - largest) of
  // each in single precision, 0 behind the last up to `stride`, a multiple of 16. Results are put in the same
  // rows of `largest` and of `weights`; what stands in the others is left alone.
  void (*weigh)(float* weights, float* largest, const float* logits, const int* rows, int n, int n_tokens,
                int stride);

  // For each of n_blocks blocks of sixteen columns s, row after row, four sums over n_rows rows: of w * s,
  // w * s * s, v * s and u * s, in single precision, sixteen of each after the other.
  void (*correlate)(float* sums, const float* table, const float* w, const float* v, const float* u,
                    int n_rows, int n_blocks);
};

// The sets that this machine can run, the fastest last.
std::vector<const Kernels*> available_kernels();

// The fastest set, or the one that the environment variable DDSR_KERNELS names. An unknown name throws.
const Kernels& kernels();

}  // namespace ddsr

// Values and derivatives of one expression over blocks of rows.
#pragma once

#include <vector>

#include "engine/program.hpp"
#include "kernels/kernels.hpp"
#include "kernels/memory.hpp"

namespace ddsr {

// Number of rows evaluated at a time if only values are needed: the buffers of a few operators stay in the
// first-level cache, and memory does not grow with the number of rows.
inline constexpr int BLOCK_ROWS = 256;

// The columns of X for the current block.
struct Columns {
  const double* first;
  std::size_t stride;
  const double* operator[](int variable) const { return first + static_cast<std::size_t>(variable) * stride; }
};

// Runs programs and reuses its memory from one expression to the next. Each thread has its own.
class Evaluator {
 public:
  Evaluator() : kernels_(kernels()) {}

  // Prepares for blocks of at most `max_rows`. With `n_kept` blocks to keep, every operator has its own
  // buffer in each of them, as `differentiate` needs, and whatever depends on no constant is computed only
  // once per block. With none, operators share a few buffers.
  void load(const Program& program, int max_rows, int n_kept);
  void set_constants(const double* constants);
  // From now on, x^c counts as constant in c if x was negative on any row seen since. No exponent near an
  // integer has a value there, so a step in c could only fail and hold back the other constants.
  void hold_exponents_of_negative_bases();
  // The rows of a kept block have changed.
  void forget(int block) { is_fresh_[static_cast<std::size_t>(block)] = true; }

  // Returns the values at the root. `is_finite` is whether every intermediate value was finite.
  const double* values(Columns columns, int n_rows, int block = 0);
  bool is_finite() const { return is_finite_; }
  // The values of any node in the last evaluated block, if that is kept.
  const double* node_values(int node) const { return operand(node); }

  // Computes d root/d constant for every constant, from the values of a kept block.
  void differentiate(Columns columns, int n_rows, int block = 0);
  const double* slope(int constant) const { return slopes_[static_cast<std::size_t>(constant)]; }

 private:
  void turn_to(int block, Columns columns);
  const double* operand(int node) const { return value_at_[static_cast<std::size_t>(node)]; }
  void fill_constant(std::size_t index);
  void add_slope(int constant, const double* slope, int n);
  void compute(int node, int n);
  bool compute_special_power(const Node& node, double* out, int n);
  double* adjoint_buffer(int node, bool second);

  const Kernels& kernels_;
  const Program* program_ = nullptr;
  int stride_ = 0, n_kept_ = 0;
  bool is_finite_ = true, has_finite_constants_ = true, holds_exponents_ = false;
  std::vector<bool> is_fresh_;  // for each kept block: nothing is computed yet
  Buffer value_memory_, constant_memory_, adjoint_memory_;
  Buffer slope_memory_;                    // the sums of slopes of constants that several nodes have
  std::vector<const double*> value_at_;    // of each node
  std::vector<const double*> adjoint_at_;  // of each node
  std::vector<const double*> slopes_;      // of each constant
  std::vector<double> constants_;
  std::vector<bool> has_negative_base_;  // of each node, after hold_exponents_of_negative_bases
};

}  // namespace ddsr

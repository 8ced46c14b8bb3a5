// Values and derivatives of one expression over blocks of rows.
#pragma once

#include <vector>

#include "engine/program.hpp"
#include "kernels/kernels.hpp"
#include "kernels/memory.hpp"

namespace ddsr {

// Rows that are evaluated at a time where only values are wanted: a few operators' buffers stay in the
// first-level cache, and memory does not grow with the number of rows.
inline constexpr int BLOCK_ROWS = 256;

// The columns of X for the block in hand.
struct Columns {
  const double* first;
  std::size_t stride;
  const double* operator[](int variable) const { return first + static_cast<std::size_t>(variable) * stride; }
};

// Runs programs; one for each thread, reusing its memory from one expression to the next.
class Evaluator {
 public:
  Evaluator() : kernels_(kernels()) {}

  // Makes ready for blocks of at most `max_rows`. With `n_kept` blocks to keep, every operator has a buffer
  // of its own in each of them, as `differentiate` needs, and what depends on no constant is computed only
  // once per block; with none, operators share a few buffers.
  void load(const Program& program, int max_rows, int n_kept);
  void set_constants(const double* constants);
  // From here on, x^c counts as constant in c if x is negative on any row seen since: no exponent near a
  // whole one has a value there, so that a step in c could only fail, and hold the other constants back with
  // it.
  void hold_exponents_of_negative_bases();
  // The next rows in a kept block are others than the last.
  void forget(int block) { is_fresh_[static_cast<std::size_t>(block)] = true; }

  // Values at the root. `is_finite` tells whether every intermediate value was finite.
  const double* values(Columns columns, int n_rows, int block = 0);
  bool is_finite() const { return is_finite_; }
  // Those of any node in the block that was evaluated last, if it is a kept one.
  const double* node_values(int node) const { return operand(node); }

  // d root/d constant for every constant, from the values of a kept block.
  void differentiate(Columns columns, int n_rows, int block = 0);
  const double* slope(int constant) const { return slopes_[static_cast<std::size_t>(constant)]; }

 private:
  void turn_to(int block, Columns columns);
  const double* operand(int node) const { return value_at_[static_cast<std::size_t>(node)]; }
  void compute(int node, int n);
  bool compute_special_power(const Node& node, double* out, int n);
  double* adjoint_buffer(int node, bool second);

  const Kernels& kernels_;
  const Program* program_ = nullptr;
  int stride_ = 0, n_kept_ = 0;
  bool is_finite_ = true, has_finite_constants_ = true, holds_exponents_ = false;
  std::vector<bool> is_fresh_;  // for each kept block: nothing is computed yet
  Buffer value_memory_, constant_memory_, adjoint_memory_;
  std::vector<const double*> value_at_;    // of each node
  std::vector<const double*> adjoint_at_;  // of each node
  std::vector<const double*> slopes_;      // of each constant
  std::vector<double> constants_;
  std::vector<bool> has_negative_base_;  // of each node, where exponents are held
};

}  // namespace ddsr

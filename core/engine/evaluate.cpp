#include "engine/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {
std::size_t at(int index) { return static_cast<std::size_t>(index); }
void grow(Buffer& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}
}  // namespace

void Evaluator::load(const Program& program, int max_rows, int n_kept) {
  program_ = &program;
  stride_ = static_cast<int>(padded(at(max_rows)));
  n_kept_ = n_kept;
  holds_exponents_ = false;
  is_fresh_.assign(at(std::max(n_kept, 1)), true);
  const std::size_t n_nodes = program.nodes.size();
  grow(value_memory_, (n_kept > 0 ? at(n_kept) * n_nodes : at(program.n_slots)) * at(stride_));
  const std::size_t n_numbers = program.numbers.size();
  // one more for the literal 1
  grow(constant_memory_, (at(program.n_constants + 1) + n_numbers) * at(stride_));
  value_at_.assign(n_nodes, nullptr);
  constants_.assign(at(program.n_constants), 0.0);
  constants_.insert(constants_.end(), program.numbers.begin(), program.numbers.end());
  std::fill_n(constant_memory_.begin(), stride_, 1.0);
  for (std::size_t i = at(program.n_constants); i < constants_.size(); ++i) fill_constant(i);
  for (std::size_t i = 0; i < n_nodes; ++i) {
    const Node& node = program.nodes[i];
    if (node.kind == Kind::One) value_at_[i] = constant_memory_.data();
    if (node.kind == Kind::Constant)
      value_at_[i] = constant_memory_.data() + at(node.index + 1) * at(stride_);
  }
}

// Sets where the nodes' values are stored for one block.
void Evaluator::turn_to(int block, Columns columns) {
  const std::size_t n_nodes = program_->nodes.size();
  double* first = value_memory_.data() + at(block) * n_nodes * at(stride_);
  for (std::size_t i = 0; i < n_nodes; ++i) {
    const Node& node = program_->nodes[i];
    if (node.kind == Kind::Variable) value_at_[i] = columns[node.index];
    if (node.kind == Kind::Operator)
      value_at_[i] = n_kept_ > 0 ? first + i * at(stride_) : value_memory_.data() + at(node.slot * stride_);
  }
}

void Evaluator::hold_exponents_of_negative_bases() {
  holds_exponents_ = true;
  has_negative_base_.assign(program_->nodes.size(), false);
}

void Evaluator::set_constants(const double* constants) {
  const std::size_t n = at(program_->n_constants);
  has_finite_constants_ = std::all_of(constants, constants + n, [](double c) { return std::isfinite(c); });
  for (std::size_t i = 0; i < n; ++i) {
    constants_[i] = constants[i];
    fill_constant(i);
  }
}

void Evaluator::fill_constant(std::size_t index) {
  std::fill_n(constant_memory_.begin() + static_cast<std::ptrdiff_t>((index + 1) * at(stride_)), stride_,
              constants_[index]);
}

const double* Evaluator::values(Columns columns, int n_rows, int block) {
  const int n = static_cast<int>(padded(at(n_rows)));
  turn_to(block, columns);
  const bool is_fresh = n_kept_ == 0 || is_fresh_[at(block)];
  is_finite_ = has_finite_constants_;
  for (int i = static_cast<int>(program_->nodes.size()) - 1; i >= 0; --i) {
    const Node& node = program_->nodes[at(i)];
    if (node.kind == Kind::Operator && (is_fresh || node.is_fitted)) compute(i, n);
  }
  is_fresh_[at(block)] = !is_finite_;  // check again next time what was not finite
  is_finite_ = is_finite_ && kernels_.all_finite(operand(0), n_rows);
  return operand(0);
}

void Evaluator::compute(int index, int n) {
  const Node& node = program_->nodes[at(index)];
  const double* a = operand(node.a);
  const double* b = node.b >= 0 ? operand(node.b) : nullptr;
  if (row_of(node.op).hides_non_finite) {
    for (int child : {node.a, node.b})
      if (child >= 0 && program_->nodes[at(child)].kind == Kind::Operator)
        is_finite_ = is_finite_ && kernels_.all_finite(operand(child), n);
  }
  if (holds_exponents_ && node.op == Op::Pow && program_->nodes[at(node.b)].is_fitted)
    has_negative_base_[at(index)] = has_negative_base_[at(index)] || kernels_.any_negative(a, n);
  double* out = const_cast<double*>(operand(index));
  if (node.own != nullptr) {
    is_finite_ = node.own->value(out, a, b, n) && is_finite_;
    return;
  }
  if (node.op == Op::Pow && compute_special_power(node, out, n)) return;
  kernels_.value[static_cast<int>(node.op)](out, a, b, n);
}

// Computes x^2, x^-3, x^0.5 and the like without a logarithm.
bool Evaluator::compute_special_power(const Node& node, double* out, int n) {
  const Node& exponent = program_->nodes[at(node.b)];
  if (exponent.kind != Kind::Constant && exponent.kind != Kind::One) return false;
  const double value = exponent.kind == Kind::One ? 1.0 : constants_[at(exponent.index)];
  if (value == std::nearbyint(value) && std::fabs(value) <= MAX_INTEGER_POWER) {
    kernels_.integer_power(out, operand(node.a), static_cast<int>(value), n);
    return true;
  }
  return false;
}

double* Evaluator::adjoint_buffer(int node, bool second) {
  const int child = second ? program_->nodes[at(node)].b : program_->nodes[at(node)].a;
  return adjoint_memory_.data() + at(child) * at(stride_);
}

// The derivative by a constant that several nodes have is the sum of theirs.
void Evaluator::add_slope(int constant, const double* slope, int n) {
  const double*& sum = slopes_[at(constant)];
  if (sum == nullptr) {
    sum = slope;
    return;
  }
  double* out = slope_memory_.data() + at(constant) * at(stride_);
  for (int row = 0; row < n; ++row) out[row] = sum[row] + slope[row];
  sum = out;
}

void Evaluator::differentiate(Columns columns, int n_rows, int block) {
  const int n = static_cast<int>(padded(at(n_rows)));
  turn_to(block, columns);
  const std::size_t n_nodes = program_->nodes.size();
  grow(adjoint_memory_, n_nodes * at(stride_));
  adjoint_at_.assign(n_nodes, nullptr);
  slopes_.assign(constants_.size(), nullptr);
  if (program_->shares_constants) grow(slope_memory_, constants_.size() * at(stride_));
  adjoint_at_[0] = constant_memory_.data();  // ones
  for (int i = 0; i < static_cast<int>(n_nodes); ++i) {
    const Node& node = program_->nodes[at(i)];
    if (node.kind == Kind::Constant && node.is_fitted) add_slope(node.index, adjoint_at_[at(i)], n);
    if (node.kind != Kind::Operator || !node.is_fitted) continue;
    for (const bool second : {false, true}) {
      const int child = second ? node.b : node.a;
      if (child < 0 || !program_->nodes[at(child)].is_fitted) continue;
      if (node.op == Op::Add || (node.op == Op::Sub && !second)) {
        adjoint_at_[at(child)] = adjoint_at_[at(i)];  // the slope is 1, so there is nothing to multiply
        continue;
      }
      double* out = adjoint_buffer(i, second);
      adjoint_at_[at(child)] = out;
      if (second && holds_exponents_ && node.op == Op::Pow && has_negative_base_[at(i)]) {
        std::fill_n(out, n, 0.0);
        continue;
      }
      const double* right = node.b >= 0 ? operand(node.b) : nullptr;
      if (node.own != nullptr) {
        node.own->slope(out, adjoint_at_[at(i)], operand(node.a), right, second, n);
        continue;
      }
      const auto& slope = second ? kernels_.slope_b : kernels_.slope_a;
      slope[static_cast<int>(node.op)](out, adjoint_at_[at(i)], operand(i), operand(node.a), right, n);
    }
  }
}

}  // namespace ddsr

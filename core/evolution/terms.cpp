#include "evolution/terms.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

constexpr std::size_t MOST_TERMS = 8;
constexpr std::size_t NO_GROUP = MOST_TERMS;
// Share of a column's squares under which its variation is rounding.
constexpr double STEADY = 1e-24;
// Of the diagonal: columns that are nearly the same share a weight instead of cancelling.
constexpr double RIDGE = 1e-12;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool is(const Node& node, Op op) { return node.kind == Kind::Operator && node.op == op; }

int constant_at(const Program& program, int index) {
  const Node& node = program.nodes[at(index)];
  return node.kind == Kind::Constant ? node.index : -1;
}

// The number of the constant that a term is a multiple of; -1: none.
int coefficient_of(const Program& program, int index) {
  const Node& node = program.nodes[at(index)];
  if (!is(node, Op::Mul) && !is(node, Op::Div)) return constant_at(program, index);
  const int first = constant_at(program, node.a);
  return first < 0 && node.op == Op::Mul ? constant_at(program, node.b) : first;
}

}  // namespace

TermSolver::TermSolver(const Dataset& data, double constant_range)
    : data_(data), constant_range_(constant_range), kernels_(kernels()), stride_(padded(data.n_rows())) {
  centered_y_.resize(stride_);
  kernels_.residual(centered_y_.data(), data.y(), data.y(), 0.0, data.center(), data.root_weights(),
                    static_cast<int>(data.n_rows()));
}

void TermSolver::solve(const Program& program, std::vector<double>& constants) {
  if (constants.empty()) return;
  factors_.clear(), terms_.clear();
  if (!find_sum(program, 0)) return;
  collect(program, sum_, 1.0);
  const bool has_coefficient =
      std::any_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.constant >= 0; });
  if (!has_coefficient || terms_.size() > MOST_TERMS || !fill_columns(program, constants)) return;
  center_columns();
  if (group_columns() && solve_groups()) take_over(constants);
}

// The first sum that the whole is a multiple of.
bool TermSolver::find_sum(const Program& program, int index) {
  const Node& node = program.nodes[at(index)];
  sum_ = index;
  if (is(node, Op::Add) || is(node, Op::Sub)) return true;
  if (is(node, Op::Neg)) return find_sum(program, node.a);
  if (!is(node, Op::Mul) && !is(node, Op::Div)) return false;
  const bool divides = node.op == Op::Div;
  if (find_sum(program, node.a)) {
    factors_.emplace_back(node.b, divides);
    return true;
  }
  if (divides || !find_sum(program, node.b)) return false;
  factors_.emplace_back(node.a, false);
  return true;
}

void TermSolver::collect(const Program& program, int index, double sign) {
  const Node& node = program.nodes[at(index)];
  if (is(node, Op::Neg)) return collect(program, node.a, -sign);
  if (is(node, Op::Add) || is(node, Op::Sub)) {
    collect(program, node.a, sign);
    collect(program, node.b, node.op == Op::Add ? sign : -sign);
    return;
  }
  terms_.push_back({index, sign, coefficient_of(program, index)});
}

// The values of each term without its coefficient, times the factors; false where any is not finite.
bool TermSolver::fill_columns(const Program& program, const std::vector<double>& constants) {
  const int most_rows = static_cast<int>(std::min<std::size_t>(BLOCK_ROWS, data_.n_rows()));
  columns_.resize(std::max(columns_.size(), terms_.size() * stride_));
  evaluator_.load(program, most_rows, 1);
  evaluator_.set_constants(constants.data());
  for (std::size_t begin = 0; begin < data_.n_rows(); begin += BLOCK_ROWS) {
    const int n = static_cast<int>(std::min<std::size_t>(BLOCK_ROWS, data_.n_rows() - begin));
    evaluator_.forget(0);
    evaluator_.values(data_.columns(begin), n);
    if (!evaluator_.is_finite()) return false;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const Term& term = terms_[i];
      const double unit = term.sign / (term.constant < 0 ? 1.0 : constants[at(term.constant)]);
      const double* values = evaluator_.node_values(term.node);
      double* column = columns_.data() + i * stride_ + begin;
      for (int row = 0; row < n; ++row) column[row] = unit * values[row];
      for (const auto& [node, divides] : factors_) {
        const double* factor = evaluator_.node_values(node);
        for (int row = 0; row < n; ++row)
          column[row] = divides ? column[row] / factor[row] : column[row] * factor[row];
      }
      if (!kernels_.all_finite(column, n)) return false;
    }
  }
  return true;
}

void TermSolver::center_columns() {
  const int n = static_cast<int>(data_.n_rows());
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    double* column = columns_.data() + i * stride_;
    const double total = data_.weights() ? kernels_.dot(data_.weights(), column, n) : kernels_.sum(column, n);
    const double mean = total / data_.total_weight();
    const double squares = kernels_.residual(column, column, column, 0.0, mean, data_.root_weights(), n);
    terms_[i].is_steady = !(squares > STEADY * mean * mean * data_.total_weight());
  }
}

// The normal equations; false where there is no coefficient to solve for, or nothing varies.
bool TermSolver::group_columns() {
  const std::size_t k = terms_.size();
  const int n_rows = static_cast<int>(data_.n_rows());
  has_shared_ = std::any_of(terms_.begin(), terms_.end(),
                            [](const Term& term) { return !term.is_steady && term.constant < 0; });
  const std::size_t n_shared = has_shared_ ? 1 : 0;
  std::size_t n = n_shared;
  group_of_.assign(k, NO_GROUP);
  for (std::size_t i = 0; i < k; ++i)
    if (!terms_[i].is_steady) group_of_[i] = terms_[i].constant < 0 ? 0 : n++;
  factor_.assign(n * n, 0.0), weights_.assign(n, 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    if (group_of_[i] == NO_GROUP) continue;
    const double* column = columns_.data() + i * stride_;
    weights_[group_of_[i]] += kernels_.dot(column, centered_y_.data(), n_rows);
    for (std::size_t j = 0; j < k; ++j)
      if (group_of_[j] != NO_GROUP)
        factor_[group_of_[i] * n + group_of_[j]] +=
            kernels_.dot(column, columns_.data() + j * stride_, n_rows);
  }
  return n > n_shared;
}

// By Cholesky on standardised columns; false where rounding has made them indefinite.
bool TermSolver::solve_groups() {
  const std::size_t n = weights_.size();
  std::vector<double> unit(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(factor_[i * n + i] > 0.0)) return false;
    unit[i] = 1.0 / std::sqrt(factor_[i * n + i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    weights_[i] *= unit[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = factor_[i * n + j] * unit[i] * unit[j] + (i == j ? RIDGE : 0.0);
      for (std::size_t m = 0; m < j; ++m) rest -= factor_[i * n + m] * factor_[j * n + m];
      if (i == j && !(rest > 0.0)) return false;
      factor_[i * n + j] = i == j ? std::sqrt(rest) : rest / factor_[j * n + j];
    }
    for (std::size_t m = 0; m < i; ++m) weights_[i] -= factor_[i * n + m] * weights_[m];
    weights_[i] /= factor_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t m = i + 1; m < n; ++m) weights_[i] -= factor_[m * n + i] * weights_[m];
    weights_[i] /= factor_[i * n + i];
  }
  for (std::size_t i = 0; i < n; ++i) weights_[i] *= unit[i];
  return true;
}

// Coefficients are relative to the scale: the weight of the terms that have none, or else what keeps the
// first coefficient as it is.
void TermSolver::take_over(std::vector<double>& constants) const {
  double scale = has_shared_ ? weights_[0] : 0.0;
  std::vector<double> solved = constants;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (terms_[i].constant < 0 || group_of_[i] == NO_GROUP) continue;
    double& coefficient = solved[at(terms_[i].constant)];
    const double weight = weights_[group_of_[i]];
    if (scale == 0.0) scale = weight / coefficient;
    coefficient = weight / scale;
    const double size = std::fabs(coefficient);
    if (!(size <= constant_range_ && size * constant_range_ >= 1.0)) return;
  }
  constants = std::move(solved);
}

}  // namespace ddsr

#include "examples/probe.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace ddsr {

namespace {

constexpr int MOST_ROWS = 64;
constexpr double FACTOR = 1.4;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double mean_of(const double* values, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum / n;
}

double product_of_deviations(const double* a, const double* b, int n) {
  const double mean_a = mean_of(a, n), mean_b = mean_of(b, n);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / n;
}

bool is_linear(const Vocabulary& vocabulary, const Formula& formula) {
  return std::ranges::all_of(formula.tokens,
                             [&](TokenId id) {
                               const Token& token = vocabulary[id];
                               return token.kind != Kind::Operator || token.op == Op::Add ||
                                      token.op == Op::Sub || token.op == Op::Mul;
                             }) &&
         std::ranges::count_if(formula.tokens, [&](TokenId id) {
           return vocabulary[id].kind == Kind::Operator && vocabulary[id].op == Op::Mul;
         }) <= static_cast<std::ptrdiff_t>(formula.constants.size());
}

}  // namespace

const double* Probe::evaluated(const double* constants) {
  evaluator_.set_constants(constants);
  return evaluator_.values({columns_.data(), stride_}, n_);
}

bool Probe::tells(const Vocabulary& vocabulary, const Program& program, const Formula& formula,
                  const Inputs& inputs, const double* values, double least) {
  n_ = std::min(inputs.n_rows, MOST_ROWS);
  stride_ = padded(at(n_));
  columns_.resize(at(inputs.n_columns) * stride_);
  for (int column = 0; column < inputs.n_columns; ++column)
    std::copy_n(inputs.column(column), stride_, columns_.data() + at(column) * stride_);
  values_.assign(values, values + n_);
  spread_ = std::sqrt(product_of_deviations(values, values, n_));
  if (!(spread_ > 0.0)) return false;

  std::vector<int> used;
  for (const TokenId id : formula.tokens)
    if (vocabulary[id].kind == Kind::Variable) used.push_back(vocabulary[id].variable);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  evaluator_.load(program, n_, 0);
  return shows_variables(used, formula.constants.data(), least) &&
         shows_constants(formula.constants, least) &&
         (is_linear(vocabulary, formula) || !is_almost_linear(used, least));
}

bool Probe::shows_variables(const std::vector<int>& used, const double* constants, double least) {
  for (const int variable : used) {
    double* column = columns_.data() + at(variable) * stride_;
    const std::vector<double> kept(column, column + stride_);
    std::rotate(column, column + n_ / 2, column + n_);
    const double* moved = evaluated(constants);
    double sum = 0.0;
    for (int i = 0; i < n_; ++i) sum += (moved[i] - values_[at(i)]) * (moved[i] - values_[at(i)]);
    std::ranges::copy(kept, column);
    if (std::sqrt(sum / n_) < least * spread_) return false;  // false if a moved row is not finite
  }
  return true;
}

bool Probe::shows_constants(std::span<const double> constants, double least) {
  std::vector<double> others(constants.begin(), constants.end());
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i] = FACTOR * constants[i];
    const double* moved = evaluated(others.data());
    others[i] = constants[i];
    const double variance = product_of_deviations(moved, moved, n_);
    const double common = product_of_deviations(moved, values_.data(), n_) / spread_;
    // The part of the values that a scale and an offset of the moved values do not explain.
    const double left = spread_ * spread_ * (1.0 - common * common / variance);
    if (left < least * least * spread_ * spread_) return false;
  }
  return true;
}

// Removes the columns' parts from the values one by one (Gram–Schmidt).
bool Probe::is_almost_linear(const std::vector<int>& used, double least) const {
  std::vector<std::vector<double>> basis;
  std::vector<double> rest(values_.begin(), values_.end());
  const auto centre = [&](std::vector<double>& v) {
    const double mean = mean_of(v.data(), n_);
    for (double& value : v) value -= mean;
  };
  const auto reduce = [&](std::vector<double>& v) {
    for (const auto& direction : basis) {
      double share = 0.0;
      for (std::size_t i = 0; i < v.size(); ++i) share += v[i] * direction[i];
      for (std::size_t i = 0; i < v.size(); ++i) v[i] -= share * direction[i];
    }
  };
  centre(rest);
  for (const int variable : used) {
    const double* column = columns_.data() + at(variable) * stride_;
    std::vector<double> direction(column, column + n_);
    centre(direction);
    reduce(direction);
    double square = 0.0;
    for (const double value : direction) square += value * value;
    if (!(square > 0.0)) continue;
    for (double& value : direction) value /= std::sqrt(square);
    basis.push_back(std::move(direction));
  }
  reduce(rest);
  double square = 0.0;
  for (const double value : rest) square += value * value;
  return std::sqrt(square / n_) < least * spread_;
}

}  // namespace ddsr

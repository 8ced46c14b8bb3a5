#include "price/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/cholesky.hpp"
#include "random.hpp"

namespace ddsr {

namespace {

constexpr std::size_t MOST_ROWS = 32;
constexpr int N_DRAWN = 32;
// Of the logarithm of a random size, and of a random change from row to row.
constexpr double SPREAD = 0.7, SPREAD_OF_CHANGES = 1.2;
constexpr double NARROWEST = 6.0;  // logarithm of the steepness of a peak among the rows
constexpr double EXPONENTS[] = {1.5, 0.5, 2.0, -0.5, 0.75, 3.0, -1.5, 1.2};
constexpr double CHANCE_OF_MINUS = 0.3, CHANCE_WITHIN = 0.5, CHANCE_AT_EXTREME = 0.5;
constexpr std::uint64_t STREAM = 0x5354;
constexpr double RIDGE = 1e-10;  // relative, for terms that are proportional to each other

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

Starts::Starts(const Dataset& data) : is_squared_(data.loss().is_squared()) {
  const std::size_t n = std::min(data.n_rows(), MOST_ROWS);
  const Columns all = data.columns(0);
  double squares = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < data.n_rows(); ++i) squares += data.y()[i] * data.y()[i], sum += data.y()[i];
  typical_ = std::sqrt(squares / static_cast<double>(data.n_rows())) * (sum < 0.0 ? -1.0 : 1.0);
  columns_.resize(data.n_columns());
  for (std::size_t i = 0; i < n; ++i) {  // evenly over the rows
    const std::size_t row = i * data.n_rows() / n;
    for (std::size_t column = 0; column < data.n_columns(); ++column)
      columns_[column].push_back(all[static_cast<int>(column)][row]);
    y_.push_back(data.y()[row]);
    weights_.push_back(data.weights() == nullptr ? 1.0 : data.weights()[row]);
  }
  const double mean = std::accumulate(y_.begin(), y_.end(), 0.0) / static_cast<double>(n);
  for (std::size_t i = 1; i < n; ++i)
    if (std::abs(y_[i] - mean) > std::abs(y_[extreme_] - mean)) extreme_ = i;
}

std::vector<std::vector<double>> Starts::best(const Structure& structure, std::uint64_t seed,
                                              std::uint32_t key, int n_kept) {
  seed_ = seed, key_ = key;
  std::vector<Start> starts;
  for (start_ = 0; start_ < N_DRAWN; ++start_) {
    Start start = draw(structure);
    if (are_finite(start.constants)) starts.push_back(std::move(start));
    if (terms_.size() == constants_.size()) break;  // no constant but the factors, which are already optimal
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.squares < b.squares; });
  std::vector<std::vector<double>> kept;
  for (Start& start : starts)
    if (static_cast<int>(kept.size()) < n_kept) kept.push_back(std::move(start.constants));
  return kept;
}

Starts::Start Starts::draw(const Structure& structure) {
  constants_.clear(), terms_.clear();
  n_drawn_ = 0, log_steepness_ = 0.0;
  const Values values = whole(structure);
  const double squares = is_squared_ ? fit_factors(values) : 0.0;
  return {constants_, std::isfinite(squares) ? squares : std::numeric_limits<double>::infinity()};
}

// The values of the whole structure. Notes its terms with a fitted factor.
Starts::Values Starts::whole(const Structure& structure) {
  if (structure.symbol != Symbol::Sum) {
    Values all = values(structure, typical_);
    if (has_fitted_factor(structure)) terms_.push_back({0, all});
    return all;
  }
  Values all(y_.size(), 0.0);
  for (const Structure::Part& part : structure.parts) {
    const std::size_t factor = constants_.size();
    Values term = values(part.structure, typical_);
    for (double& value : term) value = part.is_inverse ? -value : value;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += term[i];
    if (has_fitted_factor(part.structure)) terms_.push_back({factor, std::move(term)});
  }
  return all;
}

// Fits the factors of the terms to y. Returns the sum of the squares that are left.
double Starts::fit_factors(const Values& values) {
  const std::size_t n = terms_.size(), n_rows = y_.size();
  Values rest(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) rest[i] = y_[i] - values[i];
  auto product = [&](const Values& a, const Values& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_rows; ++i) sum += weights_[i] * a[i] * b[i];
    return sum;
  };
  // The steps of the factors relative to their values.
  std::vector<double> matrix(n * n), steps(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) matrix[a * n + b] = product(terms_[a].values, terms_[b].values);
    matrix[a * n + a] *= 1.0 + RIDGE;
    steps[a] = product(terms_[a].values, rest);
  }
  if (!are_finite(rest)) return std::numeric_limits<double>::infinity();
  if (n == 0 || !solve_by_cholesky(matrix, steps)) return product(rest, rest);
  for (std::size_t a = 0; a < n; ++a) {
    constants_[terms_[a].factor] *= 1.0 + steps[a];
    for (std::size_t i = 0; i < n_rows; ++i) rest[i] -= steps[a] * terms_[a].values[i];
  }
  return product(rest, rest);
}

// The root mean square; 1 if it is 0 or not finite.
double Starts::size(const Values& values) const {
  double squares = 0.0;
  for (const double value : values) squares += value * value;
  const double size = std::sqrt(squares / static_cast<double>(values.size()));
  return std::isfinite(size) && size > 0.0 ? size : 1.0;
}

// The size, or half the range over the rows in starts that see changes.
double Starts::natural(const Values& values) const {
  if (!sees_changes()) return size(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double half = 0.5 * (*most - *least);
  return std::isfinite(half) && half > 0.0 ? half : size(values);
}

double Starts::uniform() {
  const auto position = static_cast<std::uint32_t>(start_) << 16 | n_drawn_++;
  const RandomBlock block = random_block(seed_, STREAM, key_, position);
  return uniform_double(block[0], block[1]);
}

double Starts::around(double size) {
  if (start_ == 0) return size;
  const auto position = static_cast<std::uint32_t>(start_) << 16 | n_drawn_++;
  const double spread = sees_changes() ? SPREAD_OF_CHANGES : SPREAD;
  return size * std::exp(spread * normal(random_block(seed_, STREAM, key_, position)));
}

double Starts::sign(double chance_of_minus) { return uniform() < chance_of_minus ? -1.0 : 1.0; }

// `target` is the wanted size; 0: none.
Starts::Values Starts::values(const Structure& structure, double target) {
  const std::size_t n = y_.size();
  switch (structure.symbol) {
    case Symbol::Variable:
      return columns_[static_cast<std::size_t>(structure.variable)];
    case Symbol::Number:
      return Values(n, structure.number);
    case Symbol::Constant: {
      constants_.push_back(around(target == 0.0 ? 1.0 : target));
      return Values(n, constants_.back());
    }
    case Symbol::Sum:
    case Symbol::Product:
      return list(structure, target);
    case Symbol::Power: {
      Values base = values(structure.parts[0].structure, 0.0);
      const Structure& given = structure.parts[1].structure;
      Values exponent(n, 0.0);
      if (given.is_constant()) {
        constants_.push_back(EXPONENTS[static_cast<std::size_t>(start_) % std::size(EXPONENTS)]);
        exponent.assign(n, constants_.back());
      } else {
        exponent = values(given, 0.0);
      }
      for (std::size_t i = 0; i < n; ++i) base[i] = std::pow(base[i], exponent[i]);
      return base;
    }
    case Symbol::Other: {
      Values first = values(structure.parts.front().structure, 0.0);
      const Values last = structure.parts.size() == 2 ? values(structure.parts.back().structure, 0.0) : first;
      for (std::size_t i = 0; i < n; ++i) first[i] = value_of(structure.op, first[i], last[i]);
      return first;
    }
    default: {
      Values argument = values(structure.parts[0].structure, 0.0);
      const Op op = op_of(structure.symbol);
      for (double& value : argument) value = value_of(op, value);
      return argument;
    }
  }
}

// A fitted factor or term is chosen so that the whole has its natural size.
Starts::Values Starts::list(const Structure& structure, double target) {
  const bool is_product = structure.symbol == Symbol::Product;
  const bool has_constant = structure.parts.front().structure.is_constant();
  const std::size_t place = constants_.size();
  if (has_constant) constants_.push_back(0.0);
  Values whole(y_.size(), is_product ? 1.0 : 0.0);
  for (std::size_t p = has_constant ? 1 : 0; p < structure.parts.size(); ++p) {
    const Structure::Part& part = structure.parts[p];
    const Values others = values(part.structure, is_product ? 0.0 : target);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (is_product)
        whole[i] = part.is_inverse ? whole[i] / others[i] : whole[i] * others[i];
      else
        whole[i] += part.is_inverse ? -others[i] : others[i];
    }
  }
  if (!has_constant) return whole;
  const double value = is_product ? fitted_factor(whole, target) : fitted_term(whole, target);
  constants_[place] = value;
  for (double& each : whole) each = is_product ? each * value : each + value;
  return whole;
}

// At the top the sign is that of y; inside a function it is unknown.
double Starts::fitted_factor(const Values& rest, double target) {
  if (target != 0.0) return around(target) / size(rest) * (start_ == 0 ? 1.0 : sign(0.1));
  const double steepness = std::exp(std::exchange(log_steepness_, 0.0));
  return around(1.0) * steepness / natural(rest) * sign(0.5);
}

double Starts::fitted_term(const Values& rest, double target) {
  if (sees_changes() && uniform() < CHANCE_WITHIN) {  // x - c is 0 among the rows, or at a peak
    if (uniform() < CHANCE_AT_EXTREME) {
      log_steepness_ = NARROWEST * uniform();
      return -rest[extreme_];
    }
    const auto [least, most] = std::minmax_element(rest.begin(), rest.end());
    return -(*least + uniform() * (*most - *least));
  }
  return around(target != 0.0 ? target : size(rest)) * (start_ == 0 ? 1.0 : sign(CHANCE_OF_MINUS));
}

}  // namespace ddsr

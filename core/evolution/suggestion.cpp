#include "evolution/suggestion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddsr {

namespace {

constexpr std::size_t MOST_PAIRS = 16;
// Of many variables only those are paired that say most alone.
constexpr std::size_t MOST_VARIABLES = 24;
constexpr std::size_t MOST_ROWS = 512;
// What remains of a column under this share of it is rounding.
constexpr double NOTHING_LEFT = 1e-10;
constexpr double LEAST_GAIN = 1e-3;

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Directions at right angles to each other that columns are taken apart along.
class Basis {
 public:
  // Takes the directions there are out of the column.
  void remove_from(Column& column) const {
    for (const Column& direction : directions_) {
      const double along = dot(direction, column);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * direction[i];
    }
  }

  void add(Column column) {
    const double before = dot(column, column);
    remove_from(column);
    remove_from(column);  // once more for what rounding left
    const double size = std::sqrt(dot(column, column));
    if (!(size * size > NOTHING_LEFT * before)) return;
    for (double& value : column) value /= size;
    directions_.push_back(std::move(column));
  }

  // The share of a column that lies along the directions from `first` on.
  double explained(const Column& column, std::size_t first) const {
    double squares = 0.0;
    for (std::size_t k = first; k < directions_.size(); ++k) {
      const double along = dot(directions_[k], column);
      squares += along * along;
    }
    return squares / dot(column, column);
  }

  std::size_t size() const { return directions_.size(); }

 private:
  std::vector<Column> directions_;
};

Column squared(const Column& column) {
  Column result(column);
  for (double& value : result) value *= value;
  return result;
}

bool is_finite(const Column& column) {
  return std::all_of(column.begin(), column.end(), [](double value) { return std::isfinite(value); });
}

// Mean 0 and spread 1, so that squares do not drown in each other; as it is where it is constant.
Column standardized(Column column) {
  const auto n = static_cast<double>(column.size());
  const double mean = std::accumulate(column.begin(), column.end(), 0.0) / n;
  for (double& value : column) value -= mean;
  const double spread = std::sqrt(dot(column, column) / n);
  if (spread > 0.0)
    for (double& value : column) value /= spread;
  return column;
}

void add_quadratic(Basis& basis, const Column& column) {
  const Column standard = standardized(column);
  basis.add(standard);
  basis.add(squared(standard));
}

Basis quadratics_of(const std::vector<const Column*>& columns) {
  Basis basis;
  basis.add(Column(columns.front()->size(), 1.0));
  for (const Column* column : columns) add_quadratic(basis, *column);
  return basis;
}

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    default:
      return a / b;
  }
}

// The share of y that left op right explains beyond what its variables do; 0 where it is not finite.
double gain_of(Op op, const Column& left, const Column& right, const Column& y) {
  Column values(left.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = apply(op, left[i], right[i]);
  if (!is_finite(values)) return 0.0;
  Basis basis = quadratics_of({&left, &right});
  const std::size_t n_known = basis.size();
  add_quadratic(basis, values);
  return basis.explained(y, n_known);
}

std::vector<int> most_telling(const std::vector<Column>& columns, const Column& y) {
  std::vector<double> shares;
  for (const Column& column : columns) shares.push_back(quadratics_of({&column}).explained(y, 1));
  std::vector<int> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return shares[static_cast<std::size_t>(a)] > shares[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), MOST_VARIABLES));
  return order;
}

}  // namespace

std::vector<Pair> suggest_pairs(const Vocabulary& vocabulary, const Dataset& data) {
  const std::size_t n_rows = std::min(data.n_rows(), MOST_ROWS);
  std::vector<Column> columns;
  for (int k = 0; k < vocabulary.n_variables(); ++k)
    columns.emplace_back(data.columns(0)[k], data.columns(0)[k] + n_rows);
  const Column y = standardized(Column(data.y(), data.y() + n_rows));
  std::vector<Pair> pairs;
  if (!(dot(y, y) > 0.0)) return pairs;
  const std::vector<int> chosen = most_telling(columns, y);
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id) {
    const Op op = vocabulary[id].op;
    if (op != Op::Add && op != Op::Sub && op != Op::Mul && op != Op::Div) continue;
    for (const int a : chosen) {
      for (const int b : chosen) {
        if (a == b || (op != Op::Div && a > b)) continue;
        const double gain =
            gain_of(op, columns[static_cast<std::size_t>(a)], columns[static_cast<std::size_t>(b)], y);
        const auto first = vocabulary.first_variable();
        if (gain > LEAST_GAIN)
          pairs.push_back({id, static_cast<TokenId>(first + a), static_cast<TokenId>(first + b), gain});
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) { return p.gain > q.gain; });
  pairs.resize(std::min(pairs.size(), MOST_PAIRS));
  return pairs;
}

}  // namespace ddsr

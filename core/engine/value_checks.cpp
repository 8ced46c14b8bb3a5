#include "engine/value_checks.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

// Differences that are this small, relative to the values, are rounding.
constexpr double ROUNDING = 1e-12;

// At a pole, values jump to the other sign, against the direction in which they run on both sides.
bool is_pole(const double* v) {
  const double before = v[1] - v[0], jump = v[2] - v[1], after = v[3] - v[2];
  const bool is_against = before * jump < 0.0 && after * jump < 0.0;
  const bool is_largest = std::fabs(jump) > std::max(std::fabs(before), std::fabs(after));
  return is_against && is_largest && v[1] * v[2] < 0.0;
}

bool holds_along(const ValueCheck& check, const double* v, std::size_t n, double tolerance) {
  using Kind = ValueCheck::Kind;
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    if (std::isfinite(v[i])) largest = std::max(largest, std::fabs(v[i]));
  const double slack = tolerance + ROUNDING * largest;
  for (std::size_t i = 0; i < n; ++i) {
    switch (check.kind) {
      case Kind::Within:
        if (v[i] < check.range.low - slack || v[i] > check.range.high + slack) return false;
        break;
      case Kind::Zero:
        if (!(std::fabs(v[i]) <= slack)) return false;
        break;
      case Kind::Alike:
        if (std::isfinite(v[i]) != std::isfinite(v[0]) || std::fabs(v[i] - v[0]) > slack) return false;
        break;
      case Kind::Rises:
        if (i > 0 && v[i] < v[i - 1] - slack) return false;
        break;
      case Kind::Falls:
        if (i > 0 && v[i] > v[i - 1] + slack) return false;
        break;
      case Kind::Convex:
        if (i > 1 && v[i] - 2.0 * v[i - 1] + v[i - 2] < -slack) return false;
        break;
      case Kind::Concave:
        if (i > 1 && v[i] - 2.0 * v[i - 1] + v[i - 2] > slack) return false;
        break;
      case Kind::NoPole:
        if (!std::isfinite(v[i]) || (i > 2 && is_pole(v + i - 3))) return false;
        break;
    }
  }
  return true;
}

}  // namespace

Grid::Grid(const double* X, std::size_t n_lines, std::size_t points_in_line, std::size_t n_columns)
    : n_lines_(n_lines),
      points_in_line_(points_in_line),
      stride_(padded(n_lines * points_in_line)),
      X_(n_columns * stride_) {
  const std::size_t n = n_lines * points_in_line;
  for (std::size_t column = 0; column < n_columns; ++column)
    for (std::size_t point = 0; point < stride_; ++point)
      X_[column * stride_ + point] = X[std::min(point, n - 1) * n_columns + column];
}

void ValueChecker::load(const Program& program) { evaluator_.load(program, BLOCK_ROWS, 0); }

bool ValueChecker::holds(const double* constants, double scale, double offset, double tolerance,
                         std::size_t most_lines) {
  evaluator_.set_constants(constants);
  for (std::size_t grid = 0; grid < checks_.grids.size(); ++grid)
    if (!holds_on(grid, scale, offset, tolerance, std::min(most_lines, checks_.grids[grid].n_lines())))
      return false;
  return true;
}

bool ValueChecker::holds_on(std::size_t grid, double scale, double offset, double tolerance,
                            std::size_t n_lines) {
  const Grid& points = checks_.grids[grid];
  const std::size_t n_in_line = points.points_in_line(), n = n_lines * n_in_line;
  values_.resize(n);
  for (std::size_t begin = 0; begin < n; begin += BLOCK_ROWS) {
    const std::size_t n_rows = std::min<std::size_t>(BLOCK_ROWS, n - begin);
    const double* values = evaluator_.values(points.columns(begin), static_cast<int>(n_rows));
    for (std::size_t i = 0; i < n_rows; ++i) values_[begin + i] = scale * values[i] + offset;
  }
  for (const ValueCheck& check : checks_.checks) {
    if (check.grid != grid) continue;
    for (std::size_t line = 0; line < n_lines; ++line)
      if (!holds_along(check, values_.data() + line * n_in_line, n_in_line, tolerance)) return false;
  }
  return true;
}

}  // namespace ddsr

// What users demand of the values of an equation, checked at points of a grid: that it rises with an input,
// lies in a range, and the like. Nothing is known of it between these points.
#pragma once

#include <limits>
#include <vector>

#include "engine/evaluate.hpp"
#include "expression/constant_limits.hpp"
#include "kernels/memory.hpp"

namespace ddsr {

// Points in lines: along a line, points are evenly spaced in one input, or are a pair to compare.
class Grid {
 public:
  // X is row-major; the points of a line follow each other.
  Grid(const double* X, std::size_t n_lines, std::size_t points_in_line, std::size_t n_columns);

  std::size_t n_lines() const { return n_lines_; }
  std::size_t points_in_line() const { return points_in_line_; }
  // The columns from point `begin` on, which must be a multiple of LANES.
  Columns columns(std::size_t begin) const { return {X_.data() + begin, stride_}; }

 private:
  std::size_t n_lines_, points_in_line_, stride_;
  Buffer X_;
};

// What holds along every line of a grid. Points without a value are left out, except by Zero and NoPole.
struct ValueCheck {
  enum class Kind : std::uint8_t { Rises, Falls, Convex, Concave, Within, Zero, Alike, NoPole };
  Kind kind;
  std::size_t grid;
  Interval range;  // of Within
};

struct ValueChecks {
  std::vector<Grid> grids;
  std::vector<ValueCheck> checks;
  double tolerance = 0.0;  // differences of values up to this are rounding

  bool is_empty() const { return checks.empty(); }
};

// Evaluates equations on the grids. Each thread has its own.
class ValueChecker {
 public:
  explicit ValueChecker(const ValueChecks& checks) : checks_(checks) {}

  // `program` must outlive its use here.
  void load(const Program& program);
  // Whether scale * f + offset passes all checks, on the first `most_lines` lines of each grid.
  bool holds(const double* constants, double scale, double offset, double tolerance, std::size_t most_lines);

 private:
  bool holds_on(std::size_t grid, double scale, double offset, double tolerance, std::size_t n_lines);

  const ValueChecks& checks_;
  Evaluator evaluator_;
  std::vector<double> values_;
};

}  // namespace ddsr

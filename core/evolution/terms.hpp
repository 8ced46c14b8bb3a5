// Coefficients of the terms of a sum, by linear least squares: where the fit of a child starts.
//
// A child keeps its parents' constants, but a term that is new or changed makes all coefficients beside it
// wrong. They are a small linear problem, solved at once, and leave the steps of the fit to the constants
// inside the terms.
#pragma once

#include <utility>
#include <vector>

#include "engine/dataset.hpp"
#include "engine/evaluate.hpp"

namespace ddsr {

// Works on one data set; one for each island.
class TermSolver {
 public:
  // Coefficients above `constant_range`, or below its inverse, are not taken.
  TermSolver(const Dataset& data, double constant_range);

  // Sets the coefficients that terms have to those of least squares with free scale and offset, the other
  // constants being what they are. The sum may stand below factors. Does nothing where there is no sum or
  // no coefficient, or where a value is not finite.
  void solve(const Program& program, std::vector<double>& constants);

 private:
  struct Term {
    int node;
    double sign;
    int constant;            // the number of its coefficient; -1: none
    bool is_steady = false;  // varies over no row: the offset's part
  };

  bool find_sum(const Program& program, int node);
  void collect(const Program& program, int node, double sign);
  bool fill_columns(const Program& program, const std::vector<double>& constants);
  void center_columns();
  bool group_columns();
  bool solve_groups();
  void take_over(std::vector<double>& constants) const;

  const Dataset& data_;
  const double constant_range_;
  const Kernels& kernels_;
  Evaluator evaluator_;
  const std::size_t stride_;  // of the columns
  Buffer columns_, centered_y_;
  int sum_ = -1;                               // node of the sum
  std::vector<std::pair<int, bool>> factors_;  // nodes, and whether the sum is divided by them
  std::vector<Term> terms_;
  // Terms without a coefficient share the weight of group 0; each of the others is a group of its own.
  std::vector<std::size_t> group_of_;
  bool has_shared_ = false;
  std::vector<double> factor_, weights_;  // normal equations of the groups, and what they are solved for
};

}  // namespace ddsr

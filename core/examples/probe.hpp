// Whether data determine the formula from which they were made: every variable and every constant must
// matter.
#pragma once

#include <span>

#include "engine/evaluate.hpp"
#include "examples/inputs.hpp"
#include "expression/formula.hpp"

namespace ddsr {

// Uses the first rows of a data set. Each thread has its own.
class Probe {
 public:
  // `values` are those of the formula (breadth-first), finite on all rows. Returns false if, relative to the
  // spread of the values,
  //   - a variable of the formula can be shuffled with hardly any change,
  //   - a constant can be 1.4 times as large with hardly any change except of scale and offset,
  //   - a linear function of the variables fits as well, and the formula is not linear.
  // `least` is the smallest change that counts.
  bool tells(const Vocabulary& vocabulary, const Program& program, const Formula& formula,
             const Inputs& inputs, const double* values, double least);

 private:
  bool shows_variables(const std::vector<int>& used, const double* constants, double least);
  bool shows_constants(std::span<const double> constants, double least);
  bool is_almost_linear(const std::vector<int>& used, double least) const;
  const double* evaluated(const double* constants);

  Evaluator evaluator_;
  int n_ = 0;
  std::size_t stride_ = 0;
  double spread_ = 0.0;
  Buffer columns_, values_;
};

}  // namespace ddsr

// The columns of X: their ranges, distributions and dependence.
#pragma once

#include <vector>

#include "evolution/random_source.hpp"
#include "kernels/memory.hpp"
#include "simplify/forms.hpp"

namespace ddsr {

// Values rounded to single precision, column by column, padded with the last row for the kernels.
struct Inputs {
  int n_columns = 0, n_rows = 0;
  std::size_t stride = 0;
  Buffer values;
  std::vector<Sign> signs;     // of each column: positive if all its values are
  std::vector<double> scales;  // unit of each column: 1 for most

  double* column(int index) { return values.data() + static_cast<std::size_t>(index) * stride; }
  const double* column(int index) const { return values.data() + static_cast<std::size_t>(index) * stride; }
};

// With `must_be_positive`, no column is negative anywhere.
void draw_inputs(Inputs& inputs, int n_columns, int n_rows, bool must_be_positive, RandomSource& random);

}  // namespace ddsr

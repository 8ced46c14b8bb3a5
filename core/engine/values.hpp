// Values and derivatives of a batch over rows that are given once, such as those to predict.
#pragma once

#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

// Rows in the caller's own layout, row after row; never copied whole.
struct Rows {
  const double* first;
  std::size_t n_rows, n_columns;
};

struct Job {
  std::span<const TokenId> tokens;    // a complete tree, breadth-first
  std::span<const double> constants;  // in the order of their tokens
};

// out[i * n_rows + row]; is_finite[i] tells whether every value of expression i, intermediate ones too, is.
void values(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, double* out,
            std::uint8_t* is_finite, int n_threads);

// out[(i * n_rows + row) * width + constant], `width` at least the number of constants; is_finite[i] tells of
// values and derivatives.
void gradients(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, int width, double* out,
               std::uint8_t* is_finite, int n_threads);

}  // namespace ddsr

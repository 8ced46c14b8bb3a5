// Values and derivatives of a batch on rows that are used once, such as those to predict.
#pragma once

#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

// Rows in the caller's row-major layout, which are never copied as a whole.
struct Rows {
  const double* first;
  std::size_t n_rows, n_columns;
};

struct Job {
  std::span<const TokenId> tokens;    // a complete tree, breadth-first
  std::span<const double> constants;  // in the order of their tokens
};

// Fills out[i * n_rows + row]; is_finite[i] is whether all values of expression i, also intermediate ones,
// are finite.
void values(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, double* out,
            std::uint8_t* is_finite, int n_threads);

// Fills out[(i * n_rows + row) * width + constant], where `width` is at least the number of constants.
// is_finite[i] covers values and derivatives.
void gradients(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, int width, double* out,
               std::uint8_t* is_finite, int n_threads);

}  // namespace ddsr

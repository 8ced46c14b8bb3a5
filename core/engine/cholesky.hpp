// Solves small systems of linear equations with a symmetric, positive definite matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ddsr {

// Replaces the right side, n, by the solution, and the lower half of the matrix, n x n, by its Cholesky
// factor. Returns false if the matrix is not definite, or the solution is not finite.
inline bool solve_by_cholesky(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i * n + j];
      for (std::size_t m = 0; m < j; ++m) rest -= matrix[i * n + m] * matrix[j * n + m];
      if (i == j && !(rest > 0.0)) return false;
      matrix[i * n + j] = i == j ? std::sqrt(rest) : rest / matrix[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < i; ++m) right[i] -= matrix[i * n + m] * right[m];
    right[i] /= matrix[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t m = i + 1; m < n; ++m) right[i] -= matrix[m * n + i] * right[m];
    right[i] /= matrix[i * n + i];
  }
  return std::all_of(right.begin(), right.end(), [](double each) { return std::isfinite(each); });
}

}  // namespace ddsr

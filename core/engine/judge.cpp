#include "engine/judge.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {
constexpr double INFINITE = std::numeric_limits<double>::infinity();
// So many rows take little time, and compared with them looking at the clock costs little.
constexpr std::size_t ROWS_BETWEEN_LOOKS = 16 * BLOCK_ROWS;
}  // namespace

double Judge::nrmse(const Program& program, const Fit& fit, double at_most, const Deadline& deadline) {
  evaluator_.load(program, BLOCK_ROWS, 0);
  evaluator_.set_constants(fit.constants.data());
  if (!data_.loss().is_squared()) return nrmse_of_loss(fit, deadline);
  const double most_squares = data_.loss().squares_of(at_most * data_.spread(), data_.total_weight());
  double squares = 0.0;
  for (std::size_t begin = 0; begin < data_.n_rows(); begin += BLOCK_ROWS) {
    if (deadline && begin % ROWS_BETWEEN_LOOKS == 0 && has_passed(deadline)) return INFINITE;
    const int n = static_cast<int>(std::min<std::size_t>(BLOCK_ROWS, data_.n_rows() - begin));
    const double* values = evaluator_.values(data_.columns(begin), n);
    if (!evaluator_.is_finite()) return INFINITE;
    const double* weights = data_.root_weights() ? data_.root_weights() + begin : nullptr;
    squares +=
        kernels().residual(residual_.data(), data_.y() + begin, values, fit.scale, fit.offset, weights, n);
    if (!(squares <= most_squares)) return INFINITE;  // also if the squares themselves overflow
  }
  return std::isfinite(squares) ? data_.error(squares) / data_.spread() : INFINITE;
}

double Judge::nrmse_of_loss(const Fit& fit, const Deadline& deadline) {
  predicted_.resize(data_.n_rows());
  for (std::size_t begin = 0; begin < data_.n_rows(); begin += BLOCK_ROWS) {
    if (deadline && begin % ROWS_BETWEEN_LOOKS == 0 && has_passed(deadline)) return INFINITE;
    const std::size_t n = std::min<std::size_t>(BLOCK_ROWS, data_.n_rows() - begin);
    const double* values = evaluator_.values(data_.columns(begin), static_cast<int>(n));
    if (!evaluator_.is_finite()) return INFINITE;
    for (std::size_t row = 0; row < n; ++row) predicted_[begin + row] = fit.scale * values[row] + fit.offset;
  }
  const int n = static_cast<int>(data_.n_rows());
  const double error = data_.error(data_.loss()(data_.y(), predicted_.data(), data_.weights(), n));
  return std::isfinite(error) ? error / data_.spread() : INFINITE;
}

}  // namespace ddsr

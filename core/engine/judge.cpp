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
  const double unit = data_.spread() * data_.spread() * data_.total_weight();
  const double most_squares = at_most * at_most * unit;
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
  return std::isfinite(squares) ? std::sqrt(squares / data_.total_weight()) / data_.spread() : INFINITE;
}

}  // namespace ddsr

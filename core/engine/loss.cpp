#include "engine/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace ddsr {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
// Residuals below this share of their mean are taken as squares: the absolute value has no curvature at 0.
constexpr double LEAST_SHARE = 1e-3;
// Huber's constant has 95 % efficiency for normal errors; CHI and FACTOR make the scale that of normal
// errors.
constexpr double HUBER = 1.345;
constexpr double HUBER_CHI = 0.3550822741345243;     // the mean of min(z^2, c^2) / 2 for normal z
constexpr double HUBER_INSIDE = 0.8213747654313257;  // the probability of |z| < c
constexpr int MOST_SCALE_STEPS = 50;
constexpr double SCALE_TOLERANCE = 1e-10;
constexpr double LEAST_CURVATURE = 1e-10;
// Step of numeric derivatives, relative to the prediction or to the mean residual.
constexpr double STEP = 1e-4;
// Losses this small, relative to those of the best constant, are rounding errors.
constexpr double EXACT_SQUARE = 1e-30, EXACT = 1e-15;

double weight_of(const double* weights, int row) { return weights == nullptr ? 1.0 : weights[row]; }

double mean_residual(const double* y, const double* predicted, const double* weights, int n) {
  double total = 0.0, of_weights = 0.0;
  for (int row = 0; row < n; ++row) {
    total += weight_of(weights, row) * std::fabs(y[row] - predicted[row]);
    of_weights += weight_of(weights, row);
  }
  return total / of_weights;
}

// The scale at which min(z^2, c^2) / 2, with z = r / scale, has the mean that it has for normal errors.
double huber_scale(const double* y, const double* predicted, const double* weights, int n) {
  double scale = mean_residual(y, predicted, weights, n) * 1.2533;  // exact for normal errors
  if (!(scale > 0.0) || !std::isfinite(scale)) return scale;
  for (int step = 0; step < MOST_SCALE_STEPS; ++step) {
    double mean = 0.0, of_weights = 0.0;
    for (int row = 0; row < n; ++row) {
      const double z = std::min(std::fabs(y[row] - predicted[row]) / scale, HUBER);
      mean += weight_of(weights, row) * 0.5 * z * z, of_weights += weight_of(weights, row);
    }
    const double ratio = std::sqrt(mean / of_weights / HUBER_CHI);
    scale *= ratio;
    if (!(scale > 0.0) || std::fabs(ratio - 1.0) < SCALE_TOLERANCE) break;
  }
  return scale;
}

// Errors of a size that is known may be larger than expected, since a law may be wrong. Smaller ones are
// luck: they count by their likelihood alone. `mean` is the mean square relative to the expected one.
double error_of_known(double mean) { return mean > 1.0 ? std::sqrt(mean) : std::exp(0.5 * (mean - 1.0)); }

double binary_entropy(double y) {
  auto part = [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; };
  return part(y) + part(1.0 - y);
}

}  // namespace

struct Loss::Row {
  double loss, pull, curvature;  // pull: minus the derivative by the prediction
};

Loss::Loss(Kind kind, double quantile, double known, Function function)
    : kind_(kind), quantile_(quantile), known_(known), function_(std::move(function)) {}

template <typename OfRow>
double Loss::sum(OfRow of_row, const double* y, const double* predicted, const double* weights, int n,
                 double* residual, double* roots) const {
  double total = 0.0;
  for (int row = 0; row < n; ++row) {
    const double weight = weight_of(weights, row);
    const Row found = of_row(y[row], predicted[row]);
    if (weight > 0.0) total += weight * found.loss;
    if (residual == nullptr) continue;
    const double root = std::sqrt(weight * found.curvature);
    roots[row] = root;
    residual[row] = root > 0.0 ? weight * found.pull / root : 0.0;
  }
  return std::isfinite(total) ? 2.0 * total : INFINITE;
}

double Loss::operator()(const double* y, const double* predicted, const double* weights, int n,
                        double* residual, double* roots) const {
  switch (kind_) {
    case Kind::Squared:
      return sum(
          [](double of_y, double f) {
            const double r = of_y - f;
            return Row{0.5 * r * r, r, 1.0};
          },
          y, predicted, weights, n, residual, roots);
    case Kind::Absolute:
    case Kind::Quantile: {
      const double least = residual == nullptr ? 0.0 : LEAST_SHARE * mean_residual(y, predicted, weights, n);
      const double unit = std::sqrt(quantile_ * (1.0 - quantile_));
      return sum(
          [&](double of_y, double f) {
            const double r = of_y - f, size = std::max(std::fabs(r), least);
            const double factor = (r > 0.0 ? quantile_ : 1.0 - quantile_) / unit;
            if (size == 0.0) return Row{0.0, 0.0, 1.0};
            return Row{factor * std::fabs(r), factor * r / size, factor / size};
          },
          y, predicted, weights, n, residual, roots);
    }
    case Kind::Huber: {
      const double scale = huber_scale(y, predicted, weights, n);
      if (!(scale > 0.0)) return scale == 0.0 ? 0.0 : INFINITE;
      return sum(
          [&](double of_y, double f) {
            const double z = (of_y - f) / scale, inside = std::clamp(z, -HUBER, HUBER);
            const double rho = inside * (z - 0.5 * inside);
            const double share = z == inside ? 1.0 : inside / z;
            return Row{scale * (rho + HUBER_CHI) / HUBER_INSIDE, inside / HUBER_INSIDE,
                       share / scale / HUBER_INSIDE};
          },
          y, predicted, weights, n, residual, roots);
    }
    case Kind::Poisson:
      return sum(
          [](double of_y, double f) {
            if (!(f > 0.0)) return Row{INFINITE, 0.0, 0.0};
            const double surplus = of_y > 0.0 ? of_y * std::log(of_y / f) : 0.0;
            return Row{std::max(surplus - (of_y - f), 0.0), of_y / f - 1.0, 1.0 / f};
          },
          y, predicted, weights, n, residual, roots);
    case Kind::Logistic:
      return sum(
          [](double of_y, double f) {
            const double tail = std::exp(-std::fabs(f));
            const double chance = f >= 0.0 ? 1.0 / (1.0 + tail) : tail / (1.0 + tail);
            const double loss = std::max(f, 0.0) + std::log1p(tail) - of_y * f;
            return Row{loss - binary_entropy(of_y), of_y - chance,
                       std::max(chance * (1.0 - chance), LEAST_CURVATURE)};
          },
          y, predicted, weights, n, residual, roots);
    case Kind::Custom:
      break;
  }
  return custom(y, predicted, weights, n, residual, roots);
}

// Derivatives are central differences. The curvature is pull / residual, as in reweighted least squares, and
// the second difference where a residual is too small for that.
double Loss::custom(const double* y, const double* predicted, const double* weights, int n, double* residual,
                    double* roots) const {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> loss(size), above, below, moved;
  function_(y, predicted, n, loss.data());
  double total = 0.0;
  for (int row = 0; row < n; ++row) {
    const double of_row = loss[static_cast<std::size_t>(row)];
    if (weight_of(weights, row) > 0.0) total += weight_of(weights, row) * of_row;
    if (of_row < 0.0) return INFINITE;
  }
  if (!std::isfinite(total)) return INFINITE;
  if (residual == nullptr) return 2.0 * total;
  above.resize(size), below.resize(size), moved.resize(size);
  const double usual = mean_residual(y, predicted, weights, n);
  auto step = [&](std::size_t row) {
    return STEP * std::max(usual, 1e-3 * std::fabs(predicted[row])) + 1e-300;
  };
  for (std::size_t row = 0; row < size; ++row) moved[row] = predicted[row] + step(row);
  function_(y, moved.data(), n, above.data());
  for (std::size_t row = 0; row < size; ++row) moved[row] = predicted[row] - step(row);
  function_(y, moved.data(), n, below.data());
  for (std::size_t row = 0; row < size; ++row) {
    const double h = step(row), r = y[row] - predicted[row];
    const double pull = (below[row] - above[row]) / (2.0 * h);
    double curvature = (above[row] - 2.0 * loss[row] + below[row]) / (h * h);
    if (std::fabs(r) > 10.0 * h && pull / r > 0.0) curvature = pull / r;
    const double weight = weight_of(weights, static_cast<int>(row));
    const bool is_usable = std::isfinite(curvature) && std::isfinite(pull) && curvature > 0.0;
    roots[row] = is_usable ? std::sqrt(weight * curvature) : 0.0;
    residual[row] = roots[row] > 0.0 ? weight * pull / roots[row] : 0.0;
  }
  return 2.0 * total;
}

double Loss::error(double twice, double total_weight) const {
  const double mean = twice / total_weight;
  switch (kind_) {
    case Kind::Squared:
      return known_ > 0.0 ? std::sqrt(known_) * error_of_known(mean / known_) : std::sqrt(mean);
    case Kind::Absolute:
    case Kind::Quantile:
    case Kind::Huber:
      return 0.5 * mean;
    case Kind::Poisson:  // counts may vary more than Poisson's, but not less
      return error_of_known(mean);
    case Kind::Logistic:
      return std::exp(0.5 * mean);
    case Kind::Custom:
      break;
  }
  return std::sqrt(0.5 * mean);
}

double Loss::squares_of(double error, double total_weight) const {
  if (known_ == 0.0) return error * error * total_weight;
  const double relative = error / std::sqrt(known_);
  const double mean = relative > 1.0 ? relative * relative : 2.0 * std::log(relative) + 1.0;
  return std::max(mean, 0.0) * known_ * total_weight;
}

double Loss::exact(double error_of_constant, double total_weight) const {
  switch (kind_) {
    case Kind::Squared:
      return EXACT_SQUARE * error_of_constant * error_of_constant * total_weight;
    case Kind::Absolute:
    case Kind::Quantile:
    case Kind::Huber:
      return 2.0 * EXACT * error_of_constant * total_weight;
    case Kind::Poisson:
    case Kind::Logistic:
      return 0.0;
    case Kind::Custom:
      break;
  }
  return 2.0 * EXACT_SQUARE * error_of_constant * error_of_constant * total_weight;
}

double Loss::center(const double* y, const double* weights, int n) const {
  double total = 0.0, mean = 0.0;
  for (int row = 0; row < n; ++row)
    total += weight_of(weights, row), mean += weight_of(weights, row) * y[row];
  mean /= total;
  switch (kind_) {
    case Kind::Squared:
      return mean;
    case Kind::Poisson:  // half a count where there are none: 0 cannot be predicted
      return std::max(mean, 0.5 / total);
    case Kind::Logistic: {
      const double chance = std::clamp(mean, 0.5 / total, 1.0 - 0.5 / total);
      return std::log(chance / (1.0 - chance));
    }
    default:
      break;
  }
  // The weighted quantile of y minimises absolute losses, and starts the search for other losses.
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int row) { return y[row]; });
  double below = 0.0, center = y[order.back()];
  for (const int row : order) {
    below += weight_of(weights, row);
    if (below >= quantile_ * total) {
      center = y[row];
      break;
    }
  }
  if (kind_ == Kind::Absolute || kind_ == Kind::Quantile) return center;
  std::vector<double> predicted(order.size()), residual(order.size()), roots(order.size());
  for (int step = 0; step < MOST_SCALE_STEPS; ++step) {
    std::ranges::fill(predicted, center);
    (*this)(y, predicted.data(), weights, n, residual.data(), roots.data());
    double pull = 0.0, curvature = 0.0;
    for (std::size_t row = 0; row < order.size(); ++row)
      pull += roots[row] * residual[row], curvature += roots[row] * roots[row];
    if (!(curvature > 0.0)) break;
    center += pull / curvature;
  }
  return center;
}

}  // namespace ddsr

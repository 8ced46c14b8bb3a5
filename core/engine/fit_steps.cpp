// The steps of a fit: where they lead, and whether they gain enough.
#include <algorithm>
#include <cmath>

#include "engine/fit.hpp"

namespace ddsr {

namespace {

// Logarithm of the ratio of a constant and its value before a step: maximum, and minimum of the largest one.
constexpr double MOST_LOG_RATIO = 20.0, LEAST_LOG_RATIO = 0.1;

}  // namespace

// Moves `trial` one step from `point`. Returns whether it gains enough.
bool Fitter::advance(const Point& point, Point& trial, double least_gain) {
  for (std::size_t i = 0; i < free_.size(); ++i)
    trial.constants[free_[i]] = nearest(free_[i], point.constants[free_[i]] + step_[i]);
  visit(trial);
  if (is_better(point, trial, least_gain)) return true;
  return options_.tries_ratios && multiply(point, trial) && is_better(point, trial, least_gain);
}

// Moves `trial` by the same step of the logarithms of the constants. Returns false for a small step, which is
// the same to first order.
bool Fitter::multiply(const Point& point, Point& trial) {
  double longest = 0.0;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const double constant = point.constants[free_[i]];
    const double step = std::clamp(step_[i] / constant, -MOST_LOG_RATIO, MOST_LOG_RATIO);
    trial.constants[free_[i]] = nearest(free_[i], constant * std::exp(step));
    longest = std::max(longest, std::fabs(step));
  }
  if (longest < LEAST_LOG_RATIO) return false;
  visit(trial);
  return true;
}

bool Fitter::is_better(const Point& point, const Point& trial, double least_gain) {
  const double gain = point.squares - trial.squares;
  return trial.is_finite && gain > 0.0 && gain >= least_gain && (!must_pass_ || passes(trial));
}

}  // namespace ddsr

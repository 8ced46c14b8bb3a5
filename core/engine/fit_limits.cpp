// How fits keep the limits of a data set.
#include <algorithm>
#include <cmath>

#include "engine/fit.hpp"

namespace ddsr {

// Fits freely within the range of the constants. If the values fail a check, the fit starts again from
// `start` and takes no step to values that fail, unless they fail at the start already.
Fit Fitter::fit_within(const Program& program, std::span<const double> start, std::uint64_t key) {
  mark_exponents(program);
  std::vector<double> within(start.begin(), start.end());
  for (const Node& node : program.nodes)
    if (node.kind == Kind::Constant && node.is_fitted && node.index < program.n_constants) {
      double& constant = within[static_cast<std::size_t>(node.index)];
      constant = nearest(static_cast<std::size_t>(node.index), constant);
    }
  Fit free = fit_freely(program, within, key);
  if (!checker_ || free.status == FitStatus::NonFinite) return free;
  checker_->load(program);
  free.is_allowed = passes(free);
  if (free.is_allowed || free.status == FitStatus::NothingToFit) return free;
  Point begin{within};
  visit(begin);
  if (!begin.is_finite || !passes(begin)) return free;
  must_pass_ = true;
  Fit bound = descend(within);
  must_pass_ = false;
  bound.steps += free.steps;
  if (options_.measures_information) bound.information = information(bound);
  return bound;
}

void Fitter::mark_exponents(const Program& program) {
  is_exponent_.assign(static_cast<std::size_t>(program.n_constants), false);
  for (const Node& node : program.nodes) {
    if (node.kind != Kind::Operator || node.op != Op::Pow) continue;
    const Node& exponent = program.nodes[static_cast<std::size_t>(node.b)];
    if (exponent.kind == Kind::Constant && exponent.index < program.n_constants)
      is_exponent_[static_cast<std::size_t>(exponent.index)] = true;
  }
}

double Fitter::nearest(std::size_t constant, double value) const {
  if (limits_ == nullptr || std::isnan(value)) return value;
  return limits_->constants.nearest(value, is_exponent_[constant]);
}

// Takes the constants out of the normal equations that would leave their range with any step.
void Fitter::hold_at_borders(const Point& point) {
  if (limits_ == nullptr || !limits_->constants.is_limited()) return;
  const std::size_t k = free_.size();
  for (std::size_t i = 0; i < k; ++i) {
    const double value = point.constants[free_[i]];
    const Interval& range = is_exponent_[free_[i]] ? limits_->constants.exponents : limits_->constants.range;
    const bool leaves =
        (value <= range.low && gradient_[i] < 0.0) || (value >= range.high && gradient_[i] > 0.0);
    if (!leaves) continue;
    gradient_[i] = 0.0;
    for (std::size_t j = 0; j < k; ++j) normal_[i * k + j] = normal_[j * k + i] = 0.0;
  }
}

// Whether a step of a fit may lead to these constants. There is no tolerance: a fit that has one uses it.
bool Fitter::passes(const Point& point) {
  return checker_->holds(point.constants.data(), point.scale, point.offset, 0.0, options_.most_lines);
}

bool Fitter::passes(const Fit& fit) {
  return checker_->holds(fit.constants.data(), fit.scale, fit.offset, limits_->values.tolerance,
                         options_.most_lines);
}

}  // namespace ddsr

#include "engine/fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/cholesky.hpp"
#include "random.hpp"

namespace ddsr {

namespace {

// Maximum number of blocks of fitting rows that keep all intermediate values between steps. They stay in the
// second-level cache, and whatever depends on no constant is computed once for all steps.
constexpr int MOST_KEPT_BLOCKS = 4;

constexpr double FIRST_DAMPING = 1e-3, DAMPING_FALL = 0.1, DAMPING_RISE = 8.0;
constexpr double LEAST_DAMPING = 1e-12, MOST_DAMPING = 1e20;
// If a step gains less than this share of its prediction, the linear model does not hold there.
constexpr double LEAST_SHARE = 1e-3;
// Scale and offset of a fit by another loss than squares: maximum number of steps, and of halvings of each.
constexpr int MOST_SCALE_STEPS = 8, MOST_HALVINGS = 8;
constexpr double SCALE_TOLERANCE = 1e-8;
// Variation below this share of an expression's squares is a rounding error: x / (3 * x) is constant.
constexpr double CONSTANT = 1e-26;
// Share of a slope's squares that may remain by rounding after its free directions are removed.
constexpr double NOTHING_LEFT = 1e-12;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// A random starting value: either sign, magnitude log-normal around 1.
double random_constant(std::uint64_t seed, std::uint64_t key, int attempt, std::size_t index) {
  constexpr double LOG_SPREAD = 1.5;
  const RandomBlock magnitude =
      random_block(seed, key, static_cast<std::uint32_t>(2 * attempt), static_cast<std::uint32_t>(index));
  const RandomBlock sign =
      random_block(seed, key, static_cast<std::uint32_t>(2 * attempt + 1), static_cast<std::uint32_t>(index));
  return (sign[0] & 1u ? -1.0 : 1.0) * std::exp(LOG_SPREAD * normal(magnitude));
}

}  // namespace

Fitter::Fitter(const Dataset& data, const FitOptions& options)
    : data_(data),
      options_(options),
      kernels_(kernels()),
      base_(data.has_offset() ? data.center() : 0.0),
      limits_(data.limits()) {
  if (limits_ != nullptr && !limits_->values.is_empty()) checker_.emplace(limits_->values);
  const std::size_t n = padded(data.n_rows());
  values_.resize(n), centered_.resize(n), residual_.resize(n), centered_y_.resize(n);
  curvature_ = data.total_weight();
  if (!data.loss().is_squared()) predicted_.resize(n), roots_.resize(n);
  kernels_.residual(centered_y_.data(), data.y(), data.y(), 0.0, base_, data.root_weights(),
                    static_cast<int>(data.n_rows()));
}

int Fitter::n_blocks() const { return static_cast<int>((data_.n_rows() + BLOCK_ROWS - 1) / BLOCK_ROWS); }

bool Fitter::keeps_all() const { return n_blocks() <= MOST_KEPT_BLOCKS; }

int Fitter::block_rows(int block) const {
  return std::min(BLOCK_ROWS, static_cast<int>(data_.n_rows()) - block * BLOCK_ROWS);
}

const double* Fitter::block_values(int block) {
  const int kept = keeps_all() ? block : 0;
  if (!keeps_all()) evaluator_.forget(0);
  return evaluator_.values(data_.columns(at(block) * BLOCK_ROWS), block_rows(block), kept);
}

Fit Fitter::fit(const Program& program, std::span<const double> start, std::uint64_t key) {
  return limits_ == nullptr ? fit_freely(program, start, key) : fit_within(program, start, key);
}

Fit Fitter::fit_freely(const Program& program, std::span<const double> start, std::uint64_t key) {
  evaluator_.load(program, block_rows(0), keeps_all() ? n_blocks() : 1);
  free_.clear();
  for (const Node& node : program.nodes)
    if (node.kind == Kind::Constant && node.is_fitted) free_.push_back(at(node.index));
  if (limits_ != nullptr && limits_->constants.has_whole_exponents)
    std::erase_if(free_, [&](std::size_t i) { return is_exponent_[i]; });
  if (program.shares_constants) {
    std::ranges::sort(free_);
    free_.erase(std::ranges::unique(free_).begin(), free_.end());
  }
  Fit best = descend(start);
  const double exact = data_.loss().exact(data_.spread(), data_.total_weight());
  std::vector<double> other(start.begin(), start.end());
  for (int attempt = 1; attempt < options_.n_starts && !free_.empty(); ++attempt) {
    if (best.status != FitStatus::NonFinite && best.squares <= exact) break;
    for (const std::size_t i : free_) other[i] = nearest(i, random_constant(options_.seed, key, attempt, i));
    Fit next = descend(other);
    const int steps = best.steps + next.steps;
    const bool is_better = next.status != FitStatus::NonFinite &&
                           (best.status == FitStatus::NonFinite || next.squares < best.squares);
    if (is_better) best = std::move(next);
    best.steps = steps;
  }
  if (options_.measures_information) best.information = information(best);
  return best;
}

std::vector<double> Fitter::information(const Fit& fit) {
  const std::size_t n = fit.constants.size(), k = free_.size();
  std::vector<double> whole(n * n, 0.0);
  if (fit.status == FitStatus::NonFinite || k == 0) return whole;
  Point point{fit.constants};
  visit(point);
  if (!data_.loss().is_squared() && data_.loss().has_scale())  // the error is that of the loss
    for (std::size_t row = 0; row < data_.n_rows(); ++row)
      roots_[row] = data_.root_weights() == nullptr ? 1.0 : data_.root_weights()[row];
  linearize(point);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      whole[free_[i] * n + free_[j]] = whole[free_[j] * n + free_[i]] =
          normal_[i * k + j] / data_.total_weight();
  return whole;
}

Fit Fitter::descend(std::span<const double> start) {
  Point point{{start.begin(), start.end()}};
  visit(point);
  Fit fit;
  auto finish = [&](FitStatus status) {
    fit.constants = std::move(point.constants);
    fit.scale = point.scale, fit.offset = point.offset, fit.squares = point.squares, fit.status = status;
    return fit;
  };
  if (!point.is_finite) return finish(FitStatus::NonFinite);
  if (free_.empty()) return finish(FitStatus::NothingToFit);

  const double exact = data_.loss().exact(data_.spread(), data_.total_weight());
  double damping = FIRST_DAMPING;
  linearize(point);
  hold_at_borders(point);
  Point trial = point;
  while (fit.steps < options_.max_steps && !is_late()) {
    if (point.squares <= exact || damping > MOST_DAMPING) return finish(FitStatus::Converged);
    if (!solve(damping)) {
      damping *= DAMPING_RISE;
      continue;
    }
    ++fit.steps;
    if (!advance(point, trial, LEAST_SHARE * predicted_gain(damping))) {
      damping *= DAMPING_RISE;
      continue;
    }
    const bool is_small_gain = point.squares - trial.squares < options_.tolerance * point.squares;
    std::swap(point, trial);
    if (is_small_gain) return finish(FitStatus::Converged);
    damping = std::max(damping * DAMPING_FALL, LEAST_DAMPING);
    if (fit.steps < options_.max_steps) {
      linearize(point);
      hold_at_borders(point);
    }
  }
  return finish(FitStatus::OutOfSteps);
}

bool Fitter::is_late() const {
  return options_.deadline != Moment::max() && Moment::clock::now() >= options_.deadline;
}

// Evaluates the model at point.constants.
void Fitter::visit(Point& point) {
  point.is_finite =
      std::all_of(point.constants.begin(), point.constants.end(), [](double c) { return std::isfinite(c); });
  if (!point.is_finite) return;
  evaluator_.set_constants(point.constants.data());
  evaluator_.hold_exponents_of_negative_bases();
  for (int block = 0; block < n_blocks() && point.is_finite; ++block) {
    const double* values = block_values(block);
    std::copy_n(values, block_rows(block), values_.data() + at(block) * BLOCK_ROWS);
    point.is_finite = evaluator_.is_finite();
  }
  if (!point.is_finite) return;
  const int n = static_cast<int>(data_.n_rows());
  if (!data_.loss().is_squared())
    options_.is_scale_free ? fit_scale(point) : weigh(point);
  else if (options_.is_scale_free)
    project(point);
  else
    point.squares =
        kernels_.residual(residual_.data(), data_.y(), values_.data(), 1.0, 0.0, data_.root_weights(), n);
  point.is_finite = std::isfinite(point.squares);
}

// Least-squares scale and offset. Everything is centred first, so that a large mean does not cost precision.
void Fitter::project(Point& point) {
  const int n = static_cast<int>(data_.n_rows());
  const double* weights = data_.weights();
  const double total = weights ? kernels_.dot(weights, values_.data(), n) : kernels_.sum(values_.data(), n);
  const double mean = data_.has_offset() ? total / data_.total_weight() : 0.0;
  centered_squares_ =
      kernels_.residual(centered_.data(), values_.data(), values_.data(), 0.0, mean, data_.root_weights(), n);
  const bool is_constant = centered_squares_ <= CONSTANT * mean * mean * data_.total_weight();
  point.scale = is_constant ? 0.0 : kernels_.dot(centered_.data(), centered_y_.data(), n) / centered_squares_;
  point.offset = base_ - point.scale * mean;
  point.squares =
      kernels_.residual(residual_.data(), centered_y_.data(), centered_.data(), point.scale, 0.0, nullptr, n);
}

// The loss of the values as they are.
void Fitter::weigh(Point& point) { point.squares = loss_at(1.0, 0.0, true); }

// Twice the loss of scale * values + offset. Keeps the quadratic model there, if asked to.
double Fitter::loss_at(double scale, double offset, bool keeps_model) {
  for (std::size_t row = 0; row < data_.n_rows(); ++row) predicted_[row] = scale * values_[row] + offset;
  return data_.loss()(data_.y(), predicted_.data(), data_.weights(), static_cast<int>(data_.n_rows()),
                      keeps_model ? residual_.data() : nullptr, keeps_model ? roots_.data() : nullptr);
}

// The values without their mean, both by the weights of the quadratic model.
void Fitter::center_values() {
  const int n = static_cast<int>(data_.n_rows());
  double mean = 0.0;
  curvature_ = 0.0, centered_squares_ = 0.0;
  for (int row = 0; row < n; ++row) {
    const double weight = roots_[at(row)] * roots_[at(row)];
    curvature_ += weight, mean += weight * values_[at(row)];
  }
  mean = data_.has_offset() ? mean / curvature_ : 0.0;
  for (int row = 0; row < n; ++row) {
    centered_[at(row)] = (values_[at(row)] - mean) * roots_[at(row)];
    centered_squares_ += centered_[at(row)] * centered_[at(row)];
  }
  if (centered_squares_ <= CONSTANT * mean * mean * curvature_) centered_squares_ = 0.0;
}

// The scale and offset of the least loss, by Gauss–Newton steps from the best of three starts: the last ones,
// those of least squares, and the best constant.
void Fitter::fit_scale(Point& point) {
  const int n = static_cast<int>(data_.n_rows());
  Point least{{}, point.scale, point.offset, loss_at(point.scale, point.offset, false)};
  project(point);
  for (const auto& [scale, offset] : {std::pair(point.scale, point.offset), std::pair(0.0, base_)}) {
    const double twice = loss_at(scale, offset, false);
    if (!(least.squares <= twice)) least.scale = scale, least.offset = offset, least.squares = twice;
  }
  for (int step = 0; step < MOST_SCALE_STEPS && std::isfinite(least.squares); ++step) {
    const double before = loss_at(least.scale, least.offset, true);
    center_values();
    if (!(curvature_ > 0.0)) break;
    const double of_scale = centered_squares_ > 0.0
                                ? kernels_.dot(centered_.data(), residual_.data(), n) / centered_squares_
                                : 0.0;
    double mean = 0.0;
    for (int row = 0; row < n; ++row) mean += roots_[at(row)] * roots_[at(row)] * values_[at(row)];
    double of_offset = 0.0;
    if (data_.has_offset())
      of_offset =
          kernels_.dot(roots_.data(), residual_.data(), n) / curvature_ - of_scale * mean / curvature_;
    double share = 1.0, after = before;
    for (int halving = 0; halving < MOST_HALVINGS; ++halving, share *= 0.5) {
      after = loss_at(least.scale + share * of_scale, least.offset + share * of_offset, false);
      if (after < before) break;
    }
    if (!(after < before)) break;
    least.scale += share * of_scale, least.offset += share * of_offset, least.squares = after;
    if (before - after <= SCALE_TOLERANCE * before) break;
  }
  point.scale = least.scale, point.offset = least.offset;
  point.squares = loss_at(point.scale, point.offset, true);
  center_values();
}

// The square roots of the weights of the rows; null if all rows have the same weight.
const double* Fitter::roots() const { return roots_.empty() ? data_.root_weights() : roots_.data(); }

// J'J and J'r at the last visited point.
void Fitter::linearize(const Point& point) {
  const std::size_t k = free_.size();
  normal_.assign(k * k, 0.0), gradient_.assign(k, 0.0);
  along_one_.assign(k, 0.0), along_values_.assign(k, 0.0);
  for (int block = 0; block < n_blocks(); ++block) {
    if (!keeps_all()) block_values(block);
    accumulate(block, point.scale);
  }
  if (options_.is_scale_free) remove_free_directions(point.scale);
}

void Fitter::accumulate(int block, double scale) {
  const int n_rows = block_rows(block);
  const std::size_t begin = at(block) * BLOCK_ROWS;
  evaluator_.differentiate(data_.columns(begin), n_rows, keeps_all() ? block : 0);
  const int k = static_cast<int>(gradient_.size());
  slopes_.resize(at(k));
  for (int i = 0; i < k; ++i) slopes_[at(i)] = usable_slope(i, n_rows, begin);
  const double* root_weights = roots();
  for (int i = 0; i < k; ++i) {
    const double* slope = slopes_[at(i)];
    gradient_[at(i)] += scale * kernels_.dot(slope, residual_.data() + begin, n_rows);
    for (int j = 0; j <= i; ++j)
      normal_[at(i * k + j)] += scale * scale * kernels_.dot(slope, slopes_[at(j)], n_rows);
    if (!options_.is_scale_free) continue;
    along_one_[at(i)] +=
        root_weights ? kernels_.dot(slope, root_weights + begin, n_rows) : kernels_.sum(slope, n_rows);
    along_values_[at(i)] += kernels_.dot(slope, centered_.data() + begin, n_rows);
  }
}

// The slope times the root of the weights. On rows where it does not exist (sqrt at 0) it is set to 0: values
// alone decide whether a step is accepted.
const double* Fitter::usable_slope(int free_constant, int n_rows, std::size_t begin) {
  const double* slope = evaluator_.slope(static_cast<int>(free_[at(free_constant)]));
  const bool is_whole = kernels_.all_finite(slope, n_rows);
  const double* root_weights = roots();
  if (is_whole && root_weights == nullptr) return slope;
  if (column_memory_.size() < gradient_.size() * BLOCK_ROWS)
    column_memory_.resize(gradient_.size() * BLOCK_ROWS);
  double* column = column_memory_.data() + at(free_constant) * BLOCK_ROWS;
  for (int row = 0; row < n_rows; ++row) {
    const double weight = root_weights ? root_weights[begin + at(row)] : 1.0;
    column[row] = std::isfinite(slope[row]) ? slope[row] * weight : 0.0;
  }
  return column;
}

// Removes the directions that a free scale and offset already cover from J'J. J'r needs no change, because
// the residual is orthogonal to them.
void Fitter::remove_free_directions(double scale) {
  const std::size_t k = gradient_.size();
  std::vector<bool> is_free(k);  // the constant itself acts as a scale or an offset
  for (std::size_t i = 0; i < k; ++i) {
    const double before = normal_[i * k + i];
    for (std::size_t j = 0; j <= i; ++j) {
      double covered = data_.has_offset() ? along_one_[i] * along_one_[j] / curvature_ : 0.0;
      if (centered_squares_ > 0.0) covered += along_values_[i] * along_values_[j] / centered_squares_;
      normal_[i * k + j] -= scale * scale * covered;
    }
    is_free[i] = !(normal_[i * k + i] > NOTHING_LEFT * before);
  }
  for (std::size_t i = 0; i < k; ++i) {
    if (is_free[i]) gradient_[i] = 0.0;
    for (std::size_t j = 0; j <= i; ++j)
      if (is_free[i] || is_free[j]) normal_[i * k + j] = 0.0;
  }
}

// The reduction of the squares that the linear model predicts for the last step.
double Fitter::predicted_gain(double damping) const {
  const std::size_t k = step_.size();
  double gain = 0.0;
  for (std::size_t i = 0; i < k; ++i)
    gain += step_[i] * (gradient_[i] + damping * normal_[i * k + i] * step_[i]);
  return gain;
}

// Solves (J'J + damping * diagonal) step = J'r. Returns false if rounding has made it indefinite.
bool Fitter::solve(double damping) {
  const std::size_t k = gradient_.size();
  factor_ = normal_;
  step_ = gradient_;
  for (std::size_t i = 0; i < k; ++i) {
    double& diagonal = factor_[i * k + i];
    diagonal = diagonal > 0.0 ? diagonal * (1.0 + damping) : 1.0;  // 1: a constant without effect stays
  }
  return solve_by_cholesky(factor_, step_);
}

}  // namespace ddsr

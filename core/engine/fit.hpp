// Fits constants by Levenberg–Marquardt.
//
// The model is scale * f(x; c) + offset. Scale and offset are 1 and 0, or, if they are free, optimal for
// every c (variable projection); some data sets allow no offset. Steps are then taken in c alone, with the
// directions along f and along 1 removed from the derivatives. This is the Gauss–Newton step of the joint
// problem. For another loss than squares, the same is done with the residuals and row weights of its
// quadratic model (engine/loss.hpp).
//
// Limits of the data set (engine/limits.hpp) are kept as far as possible. Constants never leave their range:
// one whose step would leave it stays at the border. If the values fail a check after the fit, but passed it
// at its start, the fit is repeated without steps to constants for which they fail.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/dataset.hpp"
#include "engine/evaluate.hpp"

namespace ddsr {

using Moment = std::chrono::steady_clock::time_point;

struct FitOptions {
  int max_steps = 10;       // trial points per start
  int n_starts = 1;         // the first from the given constants, the others from random ones
  double tolerance = 1e-6;  // ends when a step lowers the squares by less than this share
  bool is_scale_free = false;
  bool measures_information = false;  // fills Fit::information, which takes one more visit
  std::uint64_t seed = 0;             // of the random starts
  Moment deadline = Moment::max();    // after this a fit takes no more steps
  // On how many lines of each grid values are checked.
  std::size_t most_lines = std::numeric_limits<std::size_t>::max();
  // Where a step fails, tries to multiply the constants instead of adding to them: in c * exp(k * year), a
  // small change of k needs another magnitude of c. This takes one more visit.
  bool tries_ratios = false;
};

enum class FitStatus : std::uint8_t { NothingToFit, Converged, OutOfSteps, NonFinite };

struct Fit {
  std::vector<double> constants;
  double scale = 1.0, offset = 0.0;
  // J'J over the total weight, one row and column per constant, 0 for fixed ones; empty if not requested.
  std::vector<double> information;
  double squares = 0.0;  // over the rows that were fitted: weighted squared residuals, or twice another loss
  FitStatus status = FitStatus::NonFinite;
  int steps = 0;
  bool is_allowed = true;  // whether the values pass the checks of the data set
};

// Fits programs to one data set. Each thread has its own.
class Fitter {
 public:
  Fitter(const Dataset& data, const FitOptions& options);

  // Constants that the program does not mark as fitted keep their starting value. `key` selects the random
  // starts of this expression.
  Fit fit(const Program& program, std::span<const double> start, std::uint64_t key);

 private:
  // A point in the space of constants, with the model's results there.
  struct Point {
    std::vector<double> constants;
    double scale = 1.0, offset = 0.0, squares = 0.0;
    bool is_finite = false;
  };

  Fit fit_freely(const Program& program, std::span<const double> start, std::uint64_t key);
  Fit fit_within(const Program& program, std::span<const double> start, std::uint64_t key);
  void mark_exponents(const Program& program);
  double nearest(std::size_t constant, double value) const;
  void hold_at_borders(const Point& point);
  bool passes(const Point& point);
  bool passes(const Fit& fit);
  Fit descend(std::span<const double> start);
  bool advance(const Point& point, Point& trial, double least_gain);
  bool multiply(const Point& point, Point& trial);
  bool is_better(const Point& point, const Point& trial, double least_gain);
  bool is_late() const;
  std::vector<double> information(const Fit& fit);
  void visit(Point& point);
  void project(Point& point);
  void weigh(Point& point);
  void fit_scale(Point& point);
  double loss_at(double scale, double offset, bool keeps_model);
  void center_values();
  const double* roots() const;
  void linearize(const Point& point);
  void accumulate(int block, double scale);
  const double* usable_slope(int free_constant, int n_rows, std::size_t begin);
  void remove_free_directions(double scale);
  bool solve(double damping);
  double predicted_gain(double damping) const;

  const double* block_values(int block);
  int n_blocks() const;
  bool keeps_all() const;
  int block_rows(int block) const;

  const Dataset& data_;
  const FitOptions options_;
  const Kernels& kernels_;
  Evaluator evaluator_;
  Buffer values_, centered_, residual_, centered_y_, column_memory_;
  Buffer predicted_, roots_;       // for other losses than squares: roots of the curvatures of the rows
  double curvature_ = 0.0;         // total weight of the rows of J
  const double base_;              // value of the best model without an expression
  std::vector<std::size_t> free_;  // which constants are fitted; rows of the normal equations
  double centered_squares_ = 0.0;  // of values_
  std::vector<double> normal_, gradient_;         // J'J and J'r
  std::vector<double> along_one_, along_values_;  // of each slope
  std::vector<double> factor_, step_;
  std::vector<const double*> slopes_;
  const Limits* const limits_;
  std::optional<ValueChecker> checker_;  // if values are checked
  bool must_pass_ = false;               // whether a step may not lead to values that fail
  std::vector<bool> is_exponent_;        // of each constant, if there are limits
};

}  // namespace ddsr

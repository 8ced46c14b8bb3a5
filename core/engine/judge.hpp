// How good a fitted expression is over all rows of a data set.
#pragma once

#include <chrono>
#include <limits>
#include <optional>

#include "engine/dataset.hpp"
#include "engine/fit.hpp"

namespace ddsr {

using Clock = std::chrono::steady_clock;
// When to stop; none for never.
using Deadline = std::optional<Clock::time_point>;

inline bool has_passed(const Deadline& deadline) { return deadline && Clock::now() >= *deadline; }

// Evaluates block by block, so that memory does not grow with the rows; one for each thread.
class Judge {
 public:
  explicit Judge(const Dataset& data) : data_(data), residual_(BLOCK_ROWS) {}

  // Root mean squared error over the spread of y. Infinite where any value is not finite, where the error is
  // sure to be above `at_most`, or where the deadline passes before that is known.
  double nrmse(const Program& program, const Fit& fit,
               double at_most = std::numeric_limits<double>::infinity(), const Deadline& deadline = {});

 private:
  const Dataset& data_;
  Evaluator evaluator_;
  Buffer residual_;
};

}  // namespace ddsr

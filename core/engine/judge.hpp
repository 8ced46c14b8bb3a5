// Measures the error of a fitted expression over all rows of a data set.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <vector>

#include "engine/dataset.hpp"
#include "engine/fit.hpp"

namespace ddsr {

using Clock = std::chrono::steady_clock;
// When to stop; empty means never.
using Deadline = std::optional<Clock::time_point>;

inline bool has_passed(const Deadline& deadline) { return deadline && Clock::now() >= *deadline; }

// Evaluates block by block, so memory does not grow with the number of rows. Each thread has its own.
class Judge {
 public:
  explicit Judge(const Dataset& data) : data_(data), residual_(BLOCK_ROWS) {}

  // The error over that of the best constant. Infinite if any value is not finite, if the error is
  // certain to exceed `at_most`, or if the deadline passes first.
  double nrmse(const Program& program, const Fit& fit,
               double at_most = std::numeric_limits<double>::infinity(), const Deadline& deadline = {});

 private:
  double nrmse_of_loss(const Fit& fit, const Deadline& deadline);

  const Dataset& data_;
  Evaluator evaluator_;
  Buffer residual_;
  std::vector<double> predicted_;  // of all rows, unless errors are squared: other losses look at all at once
};

}  // namespace ddsr

// Measures the error of a fitted expression over all rows of a data set.
#pragma once

#include <chrono>
#include <limits>
#include <optional>

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

  // Root mean squared error over the spread of y. Infinite if any value is not finite, if the error is
  // certain to exceed `at_most`, or if the deadline passes first.
  double nrmse(const Program& program, const Fit& fit,
               double at_most = std::numeric_limits<double>::infinity(), const Deadline& deadline = {});

 private:
  const Dataset& data_;
  Evaluator evaluator_;
  Buffer residual_;
};

}  // namespace ddsr

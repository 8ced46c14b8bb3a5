// A batch of expressions against one data set: constants fitted on some rows, fit judged on all of them.
#pragma once

#include <chrono>
#include <exception>
#include <span>
#include <vector>

#include "engine/dataset.hpp"
#include "engine/fit.hpp"
#include "expression/vocabulary.hpp"

namespace ddsr {

struct Score {
  Fit fit;
  // sqrt(mean squared error) over the spread of y; infinite where the expression is not finite everywhere
  double nrmse = 0.0;
  bool is_duplicate = false;  // of an earlier one in the batch, whose fit it shares
};

// Thrown by work that was not done by the moment it was given.
struct OutOfTime : std::exception {};

// `expressions` are complete trees, breadth-first. `starts` holds their constants to start from, in the order
// of their tokens, and `is_fixed` which of those fitting must leave alone (empty for an expression: none).
// Throws OutOfTime if they are not all scored by the deadline.
std::vector<Score> score(const Vocabulary& vocabulary, const Dataset& fitting, const Dataset& scoring,
                         const std::vector<std::span<const TokenId>>& expressions,
                         const std::vector<std::span<const double>>& starts,
                         const std::vector<std::span<const std::uint8_t>>& is_fixed,
                         const FitOptions& options, int n_threads, Moment deadline = Moment::max());

}  // namespace ddsr

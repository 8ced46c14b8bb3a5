// A batch of expressions against one data set: constants fitted on some rows, fit judged on all of them.
#pragma once

#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <unordered_map>
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

// Scores of earlier batches of one data set, seed and set of options: what comes again is not fitted again,
// and gets the same bits. Of many it knows those that came last.
class KnownScores {
 public:
  static constexpr std::size_t MOST = 50'000;  // of a generation; there are two

  // The score of this key, which counts as having come now; null where it is not known.
  const Score* find(const std::string& key);
  void insert(const std::string& key, const Score& score);
  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  using Scores = std::unordered_map<std::string, Score>;
  void make_room();

  Scores young_, old_;
};

// Thrown by work that was not done by the moment it was given.
struct OutOfTime : std::exception {};

// `expressions` are complete trees, breadth-first. `starts` holds their constants to start from, in the order
// of their tokens, and `is_fixed` which of those fitting must leave alone (empty for an expression: none).
// `known`, if it is not null, is asked first and told what it did not know.
// Throws OutOfTime if they are not all scored by the deadline.
std::vector<Score> score(const Vocabulary& vocabulary, const Dataset& fitting, const Dataset& scoring,
                         const std::vector<std::span<const TokenId>>& expressions,
                         const std::vector<std::span<const double>>& starts,
                         const std::vector<std::span<const std::uint8_t>>& is_fixed,
                         const FitOptions& options, int n_threads, Moment deadline = Moment::max(),
                         KnownScores* known = nullptr);

}  // namespace ddsr

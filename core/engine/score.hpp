// Scores a batch of expressions: constants are fitted on some rows, errors measured on all of them.
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
  // sqrt(mean squared error) over the spread of y; infinite if the expression is not finite everywhere,
  // or if its values fail a check of the data set.
  double nrmse = 0.0;
  bool is_duplicate = false;  // of an earlier one in the batch, whose fit it shares
};

// Scores of earlier batches with the same data set, seed and options. An expression that comes again is not
// fitted again and gets the same bits. Only the most recent ones are kept.
class KnownScores {
 public:
  static constexpr std::size_t MOST = 50'000;  // per generation; there are two

  // The score of this key, which is marked as recently used; null if it is not known.
  const Score* find(const std::string& key);
  void insert(const std::string& key, const Score& score);
  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  using Scores = std::unordered_map<std::string, Score>;
  void make_room();

  Scores young_, old_;
};

// Thrown if work is not done by its deadline.
struct OutOfTime : std::exception {};

// `expressions` are complete trees, breadth-first. `starts` has the starting values of their constants, in
// the order of their tokens, and `is_fixed` marks the constants that fitting must not change (empty for an
// expression: none). Scores in `known`, which may be null, are reused, and new ones are added to it. Throws
// OutOfTime if the deadline passes first. With `checks_form`, expressions that break a rule of the data set
// on the form are not fitted, and their error is infinite; `vocabulary` must be that of the search.
std::vector<Score> score(const Vocabulary& vocabulary, const Dataset& fitting, const Dataset& scoring,
                         const std::vector<std::span<const TokenId>>& expressions,
                         const std::vector<std::span<const double>>& starts,
                         const std::vector<std::span<const std::uint8_t>>& is_fixed,
                         const FitOptions& options, int n_threads, Moment deadline = Moment::max(),
                         KnownScores* known = nullptr, bool checks_form = false);

}  // namespace ddsr

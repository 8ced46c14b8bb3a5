#include "evolution/problem.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

// Evenly spread over all rows, as many as the shortlist looks at.
std::vector<std::size_t> listing_rows(const Dataset& all_rows, const EvolutionOptions& options) {
  if (options.list_size == 0) return {0};
  const std::size_t n = all_rows.n_rows(), n_taken = std::min(n, static_cast<std::size_t>(options.list_rows));
  std::vector<std::size_t> rows(n_taken);
  for (std::size_t i = 0; i < n_taken; ++i) rows[i] = i * n / n_taken;
  return rows;
}

WeightedChoice weighted_moves(const EvolutionOptions& options) {
  WeightedChoice moves;
  for (std::size_t i = 0; i < MOVES.size(); ++i) moves.add(static_cast<int>(i), options.move_weights[i]);
  return moves;
}

}  // namespace

Problem::Problem(const Grammar& rules, const Dataset& source, const std::vector<std::size_t>& rows,
                 const Dataset& all_rows, const EvolutionOptions& settings, std::uint64_t random_seed)
    : grammar(rules),
      scoring(all_rows),
      options(settings),
      seed(random_seed),
      fitting(source, rows),
      listing(all_rows, listing_rows(all_rows, settings)),
      drawing(rules.vocabulary, settings),
      mutations(weighted_moves(settings)) {}

Price Problem::price() const {
  const auto n_rows = static_cast<double>(scoring.n_rows());
  return {n_rows, std::log(static_cast<double>(vocabulary().size())), 0.5 * std::log(n_rows)};
}

}  // namespace ddsr

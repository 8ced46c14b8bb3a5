#include "evolution/problem.hpp"

#include <algorithm>
#include <numeric>

namespace ddsr {

namespace {

constexpr std::size_t SCREENING_ROWS = 64;

std::optional<Dataset> screening_rows(const Dataset& fitting, const EvolutionOptions& options) {
  if (!(options.screen_ratio > 0.0) || fitting.n_rows() <= SCREENING_ROWS) return {};
  std::vector<std::size_t> rows(SCREENING_ROWS);
  std::iota(rows.begin(), rows.end(), 0);
  return Dataset(fitting, rows);
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
      screening(screening_rows(fitting, settings)),
      drawing(rules.vocabulary, settings),
      mutations(weighted_moves(settings)) {}

}  // namespace ddsr

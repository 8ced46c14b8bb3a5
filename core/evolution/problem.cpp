#include "evolution/problem.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

// The size of one fitted constant in nats, as in src/ddsr/price/enumeration.py.
constexpr double NATS_OF_SIZE = 1.0;
// Maximum number of rows on which the shortlist is fitted and scored.
constexpr std::size_t MOST_LISTING_ROWS = 1500;

std::vector<std::size_t> weighing_rows(const Dataset& all_rows) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < all_rows.n_rows(); ++row)
    if (all_rows.weights() == nullptr || all_rows.weights()[row] != 0.0) rows.push_back(row);
  return rows;
}

// As many rows of nonzero weight as the shortlist uses, evenly spread over all.
std::vector<std::size_t> listing_rows(const Dataset& all_rows) {
  const std::vector<std::size_t> of_use = weighing_rows(all_rows);
  if (of_use.empty()) return {0};
  const std::size_t n = of_use.size(), n_taken = std::min(n, MOST_LISTING_ROWS);
  std::vector<std::size_t> rows(n_taken);
  for (std::size_t i = 0; i < n_taken; ++i) rows[i] = of_use[i * n / n_taken];
  return rows;
}

WeightedChoice weighted_moves(const EvolutionOptions& options) {
  WeightedChoice moves;
  for (std::size_t i = 0; i < MOVES.size(); ++i) moves.add(static_cast<int>(i), options.move_weights[i]);
  return moves;
}

std::size_t dictionary_size(const EvolutionOptions& options) {
  for (std::size_t i = 0; i < MOVES.size(); ++i)
    if (MOVES[i].make == &match && options.move_weights[i] > 0.0)
      return static_cast<std::size_t>(options.dictionary_size);
  return 0;
}

std::optional<Units> units_in_hole(const Grammar& grammar, std::size_t hole) {
  std::optional<Units> units = grammar.rules.units;
  if (!units || grammar.vocabulary.pattern() == nullptr) return units;
  const std::vector<std::optional<Unit>> unknown(grammar.vocabulary.pattern()->holes.size());
  if (const auto unit = demanded_unit(units->of_template, static_cast<int>(hole), unknown))
    units->of_target = *unit;
  return units;
}

std::vector<Problem::Material> materials_for(const Grammar& grammar, const EvolutionOptions& options,
                                             const Dataset& fitting, std::uint64_t seed) {
  const Vocabulary& vocabulary = grammar.vocabulary;
  std::vector<Problem::Material> materials;
  const Template* pattern = vocabulary.pattern();
  const std::size_t n_holes = pattern == nullptr ? 1 : pattern->holes.size();
  for (std::size_t hole = 0; hole < n_holes; ++hole) {
    if (pattern != nullptr && pattern->holes[hole].is_constant) continue;
    const std::vector<int> inputs = vocabulary.inputs_of(hole);
    const std::optional<Units> units = units_in_hole(grammar, hole);
    materials.push_back({hole, Drawing(vocabulary, options, inputs), units,
                         Dictionary(vocabulary, options, fitting, inputs, dictionary_size(options), seed,
                                    units ? &*units : nullptr)});
  }
  return materials;
}

}  // namespace

Problem::Problem(const Grammar& rules, const Dataset& source, const std::vector<std::size_t>& rows,
                 const Dataset& all_rows, const TablePrice& prices, const EvolutionOptions& settings,
                 std::uint64_t random_seed)
    : grammar(rules),
      scoring(all_rows),
      structures(prices),
      options(settings),
      seed(random_seed),
      fitting(source, rows),
      listing(all_rows, listing_rows(all_rows)),
      mutations(weighted_moves(settings)),
      materials(materials_for(rules, settings, fitting, random_seed)) {}

Price Problem::price() const {
  const double n_rows = scoring.n_counted();
  return {n_rows, 0.5 * std::log(n_rows) + NATS_OF_SIZE};
}

// What the user charges for the tokens.
double Problem::cost(const Formula& formula) const {
  double sum = 0.0;
  if (options.token_costs.empty()) return sum;
  for (const TokenId id : formula.tokens) sum += options.token_costs[static_cast<std::size_t>(id)];
  return sum;
}

double Problem::length(const Formula& formula, double log_loss) const {
  const Price price = this->price();
  const double of_structure =
      options.is_scale_free ? structures.scaled(vocabulary(), formula) : structures(vocabulary(), formula);
  return price.of_data(log_loss) + price.of_constants(formula) + of_structure + cost(formula);
}

}  // namespace ddsr

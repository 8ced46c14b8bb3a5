// What all islands of one search share and none changes.
#pragma once

#include "engine/dataset.hpp"
#include "evolution/dictionary.hpp"
#include "evolution/drawing.hpp"
#include "evolution/moves.hpp"
#include "evolution/shortlist.hpp"
#include "price/table_price.hpp"

namespace ddsr {

struct Problem {
  // The islands fit on `rows` of `source`; empty means all rows.
  Problem(const Grammar& grammar, const Dataset& source, const std::vector<std::size_t>& rows,
          const Dataset& scoring, const TablePrice& structures, const EvolutionOptions& options,
          std::uint64_t seed);

  const Grammar& grammar;
  const Dataset& scoring;
  const TablePrice& structures;
  const EvolutionOptions options;
  const std::uint64_t seed;
  const Dataset fitting;
  const Dataset listing;  // many rows, for the shortlist
  const WeightedChoice mutations;
  // What fills each hole of the template that is not a constant; without a template, the whole expression.
  struct Material {
    std::size_t hole;
    Drawing drawing;
    std::optional<Units> units;  // with the unit of the hole as the target's, if the template has one
    Dictionary dictionary;       // empty if no move uses it
  };
  const std::vector<Material> materials;

  // The length of a formula's description in nats, and its part without the structure.
  double length(const Formula& formula, double log_loss) const;
  Price price() const;
  double cost(const Formula& formula) const;

  const Vocabulary& vocabulary() const { return grammar.vocabulary; }
  // Null if columns have no units.
  const Units* units() const { return grammar.rules.units ? &*grammar.rules.units : nullptr; }
  bool has_template() const { return vocabulary().pattern() != nullptr; }
};

}  // namespace ddsr

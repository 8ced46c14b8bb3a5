// Draws a random formula: a composition, or a random tree without a plan.
#pragma once

#include <optional>

#include "evolution/random_source.hpp"
#include "examples/options.hpp"
#include "expression/formula.hpp"

namespace ddsr {

// Uses the first variables of the vocabulary. Returns nothing if the vocabulary lacks an operator that was
// drawn.
std::optional<Formula> draw_formula(const Vocabulary& vocabulary, const ExampleOptions& options,
                                    RandomSource& random);

}  // namespace ddsr

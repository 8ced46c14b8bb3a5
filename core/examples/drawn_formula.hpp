// A formula drawn at random: composed, or a tree without a plan.
#pragma once

#include <optional>

#include "evolution/random_source.hpp"
#include "examples/options.hpp"
#include "expression/formula.hpp"

namespace ddsr {

// Variables are the first of the vocabulary. Nothing where the vocabulary lacks an operator that was drawn.
std::optional<Formula> draw_formula(const Vocabulary& vocabulary, const ExampleOptions& options,
                                    RandomSource& random);

}  // namespace ddsr

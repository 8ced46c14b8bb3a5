// Random trees without a plan, so that formulas outside all templates occur too.
#pragma once

#include "evolution/random_source.hpp"
#include "examples/draft.hpp"

namespace ddsr {

// Writes a tree of about `n_tokens` tokens over the first `n_variables` variables, from all operators of the
// vocabulary. Most leaves are variables not used yet.
void put_random_tree(Draft& draft, RandomSource& random, int n_tokens, int n_variables);

}  // namespace ddsr

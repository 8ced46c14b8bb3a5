// Trees without a plan, so that what no template foresees has its chance too.
#pragma once

#include "evolution/random_source.hpp"
#include "examples/draft.hpp"

namespace ddsr {

// A tree of about `n_tokens` tokens over the first `n_variables` variables, from all operators of the
// vocabulary. Each leaf is a variable not used yet most of the time.
void put_random_tree(Draft& draft, RandomSource& random, int n_tokens, int n_variables);

}  // namespace ddsr

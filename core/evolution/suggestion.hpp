// What the data suggest to begin with: pairs of variables that say more of the target together than apart.
#pragma once

#include <vector>

#include "engine/dataset.hpp"
#include "expression/vocabulary.hpp"

namespace ddsr {

struct Pair {
  TokenId op, left, right;  // left op right
  double gain;              // share of the target's variance that it explains beyond its variables
};

// The best of all sums, differences, products and ratios of two variables, the best one first. Each is
// judged by a quadratic in it, beside quadratics in both variables, on the rows of `data`.
std::vector<Pair> suggest_pairs(const Vocabulary& vocabulary, const Dataset& data);

}  // namespace ddsr

// The numbers that formulas have in them.
#pragma once

#include "evolution/random_source.hpp"

namespace ddsr {

// Small whole numbers, simple fractions, multiples of pi, and any number from 0.05 to 20.
double draw_constant(RandomSource& random);
// Of a power: mostly 2.
double draw_exponent(RandomSource& random);

// From `low` to `high`, evenly in the logarithm.
double draw_log_uniform(RandomSource& random, double low, double high);
// One of the places of a table of weights.
template <typename Weights>
int draw_weighted(RandomSource& random, const Weights& weights) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  double mark = random.uniform() * total;
  int place = 0, last = static_cast<int>(weights.size()) - 1;
  for (; place < last; ++place)
    if ((mark -= weights[static_cast<std::size_t>(place)]) < 0.0) break;
  return place;
}

}  // namespace ddsr

// The numbers that occur in formulas.
#pragma once

#include "evolution/random_source.hpp"

namespace ddsr {

// Small integers, simple fractions, multiples of pi, or any number from 0.05 to 20.
double draw_constant(RandomSource& random);
// An exponent, most often 2.
double draw_exponent(RandomSource& random);

// Log-uniform from `low` to `high`.
double draw_log_uniform(RandomSource& random, double low, double high);
// An index of a table of weights.
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

#include "examples/numbers.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace ddsr {

namespace {

constexpr std::array WHOLE_NUMBERS{2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
constexpr std::array FRACTIONS{0.5, 0.5, 0.5, 1.5, 0.25, 0.75, 2.5, 1.0 / 3.0, 2.0 / 3.0};
constexpr std::array MULTIPLES_OF_PI{0.5, 1.0, 2.0, 2.0, 4.0};
constexpr std::array EXPONENTS{2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 1.5, -2.0, 2.5, 0.5, -0.5, 6.0};
constexpr double FREE_EXPONENT_RATE = 0.08;

template <typename Table>
double one_of(RandomSource& random, const Table& table) {
  return table[static_cast<std::size_t>(random.below(static_cast<int>(table.size())))];
}

}  // namespace

double draw_log_uniform(RandomSource& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

double draw_constant(RandomSource& random) {
  constexpr std::array WEIGHTS{0.3, 0.12, 0.06, 0.52};
  switch (draw_weighted(random, WEIGHTS)) {
    case 0:
      return one_of(random, WHOLE_NUMBERS);
    case 1:
      return one_of(random, FRACTIONS);
    case 2:
      return std::numbers::pi * one_of(random, MULTIPLES_OF_PI);
    default:
      return draw_log_uniform(random, 0.05, 20.0);
  }
}

double draw_exponent(RandomSource& random) {
  if (random.chance(FREE_EXPONENT_RATE)) return draw_log_uniform(random, 0.2, 5.0);
  return one_of(random, EXPONENTS);
}

}  // namespace ddsr

#include "expression/operators.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>

namespace ddsr {

// By psi(x) = psi(x + 1) - 1/x up to where the asymptotic series holds, and by reflection for negative x.
double digamma(double x) {
  constexpr double LEAST = 10.0;
  constexpr double SERIES[] = {1.0 / 12.0,  -1.0 / 120.0,     1.0 / 252.0, -1.0 / 240.0,
                               1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0};  // B_2k / 2k
  double sum = 0.0;
  if (x <= 0.0) {
    const double turn = x - std::floor(x);
    if (turn == 0.0) return NAN;
    sum = -std::numbers::pi / std::tan(std::numbers::pi * turn);
    x = 1.0 - x;
  }
  for (; x < LEAST; x += 1.0) sum -= 1.0 / x;
  const double inverse_square = 1.0 / (x * x);
  double tail = 0.0;
  for (std::size_t i = std::size(SERIES); i-- > 0;) tail = (tail + SERIES[i]) * inverse_square;
  return sum + std::log(x) - 0.5 / x - tail;
}

double value_of(Op op, double a, double b) {
  using namespace std;
  switch (op) {
#define ROW(id, name, symbol, arity, precedence, commutative, hides, undoes, parity, trend, domain, range, \
            period, degree, numpy, sympy, latex, VALUE, ...)                                               \
  case Op::id:                                                                                             \
    return VALUE;
    DDSR_OPERATORS(ROW)
#undef ROW
  }
  return NAN;
}

}  // namespace ddsr

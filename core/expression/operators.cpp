#include "expression/operators.hpp"

#include <cmath>

namespace ddsr {

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

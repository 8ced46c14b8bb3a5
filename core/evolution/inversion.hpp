// What an operand must be for its operator to have a wanted value.
#pragma once

#include "expression/operators.hpp"

namespace ddsr {

struct Needed {
  double value;
  double slope;  // of the operator in this operand, there
};

// For the first operand of `op`, or the second; `other` is the value of the other one, and `current` what the
// operand is now: of several solutions the nearest to it is taken. NaN where there is none.
Needed needed_operand(Op op, bool is_first, double wanted, double other, double current);

}  // namespace ddsr

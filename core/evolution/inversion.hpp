// The value that an operand must have for its operator to have a wanted value.
#pragma once

#include "expression/operators.hpp"

namespace ddsr {

struct Needed {
  double value;
  double slope;  // the operator's derivative by this operand, at `value`
};

// For the first or second operand of `op`. `other` is the value of the other operand, and `current` the
// present value of this one; of several solutions the one nearest to `current` is returned. NaN if there is
// none.
Needed needed_operand(Op op, bool is_first, double wanted, double other, double current);

}  // namespace ddsr

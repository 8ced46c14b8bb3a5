// Writes functions of inverse functions as roots: 1 / sqrt(1 + u^2) for cos(atan(u)).
#pragma once

#include "simplify/simplify.hpp"

namespace ddsr {

// Returns the simplified expression with roots for sin and cos of inverse functions if that is cheaper, else
// the expression itself. `signs` has one sign per column.
Formula with_roots(const Vocabulary& vocabulary, const std::vector<Sign>& signs, const Formula& formula);

}  // namespace ddsr

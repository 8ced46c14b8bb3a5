// Functions of inverse functions, as roots: 1 / sqrt(1 + u^2) for cos(atan(u)).
#pragma once

#include "simplify/simplify.hpp"

namespace ddsr {

// The expression with roots for sin and cos of inverse functions, simplified, if that reads better; itself
// otherwise. A sign for each variable by column.
Formula with_roots(const Vocabulary& vocabulary, const std::vector<Sign>& signs, const Formula& formula);

}  // namespace ddsr

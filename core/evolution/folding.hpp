// Constants that work on constants become one: 2 * 3 + x is 6 + x.
#pragma once

#include "expression/formula.hpp"

namespace ddsr {

// The same formula with every operator that has nothing but constants (or the literal 1) below it replaced
// by its value. Where the vocabulary has no constant to hold the value, or the value is not finite, the
// operator stays, and the grammar refuses it.
Formula fold_constants(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

// Folds operations on constants: 2 * 3 + x becomes 6 + x.
#pragma once

#include "expression/formula.hpp"

namespace ddsr {

// Returns the formula with each operator over constants (or the literal 1) only replaced by its value. An
// operator stays, to be refused by the grammar, if the vocabulary has no constant or the value is not finite.
Formula fold_constants(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

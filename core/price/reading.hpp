// Converts an expression into its structure.
#pragma once

#include <span>

#include "price/structure.hpp"

namespace ddsr {

// The columns, at least one, and the constants of a template, which are read as if they were columns.
int n_variables_read(const Vocabulary& vocabulary);

// The formula is in prefix order. `is_free` marks the fitted constants.
Structure structure_of(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free);

}  // namespace ddsr

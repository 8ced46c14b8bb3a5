// Converts an expression into its structure.
#pragma once

#include <span>

#include "price/structure.hpp"

namespace ddsr {

// The formula is in prefix order. `is_free` marks the fitted constants.
Structure structure_of(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free);

}  // namespace ddsr

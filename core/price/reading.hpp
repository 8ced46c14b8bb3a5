// The structure of an expression.
#pragma once

#include <span>

#include "price/structure.hpp"

namespace ddsr {

// Of a formula in prefix order. `is_free` tells for each constant whether it is fitted.
Structure structure_of(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free);

}  // namespace ddsr

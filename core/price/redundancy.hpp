// Detects structures that can be written more shortly.
#pragma once

#include "price/structure.hpp"

namespace ddsr {

// Whether it has constants that other constants cover, or parts that cancel.
bool is_redundant(const Structure& structure);

}  // namespace ddsr

// Structures that a shorter one stands for.
#pragma once

#include "price/structure.hpp"

namespace ddsr {

// Whether it has constants that others can stand for, or parts that cancel.
bool is_redundant(const Structure& structure);

}  // namespace ddsr

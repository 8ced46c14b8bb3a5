// Structures put together, so that writings of one function come out as one structure.
//
// What people take for the same is the same here: the order of operands, brackets in a sum or a product, x *
// x for x^2, a * sqrt(b / c) for a / sqrt(c / b), and where fitted constants stand. So a price on structures
// is a price on what is said, not on how the tree happens to be built. Products under a root or a logarithm
// are taken to be of positive numbers: sqrt(x^3 * y) is x * sqrt(x * y).
#pragma once

#include <vector>

#include "price/structure.hpp"

namespace ddsr {

// A fitted constant stands for all that it can: c * (c + x) is c + c * x, and c * x / (1 + c * x) is
// c * x / (c + x). A term whose factor is fitted has no sign of its own.
Structure sum_structure(std::vector<Structure::Part> terms);
Structure product_structure(std::vector<Structure::Part> factors);
Structure power_structure(Structure base, Structure exponent);
Structure call_structure(Symbol function, Structure argument);

// The same, put together anew: itself, but for what the functions above would write otherwise.
Structure rebuilt(const Structure& structure);

}  // namespace ddsr

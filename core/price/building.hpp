// Builds structures so that different notations of one function give the same structure.
//
// Usual variations do not matter: the order of operands, brackets in a sum or product, x * x for x^2,
// a * sqrt(b / c) for a / sqrt(c / b), and where fitted constants are. So a price depends on the function and
// not on how its tree happens to be built. Products under a root or a logarithm are taken as positive:
// sqrt(x^3 * y) is x * sqrt(x * y).
#pragma once

#include <vector>

#include "price/structure.hpp"

namespace ddsr {

// A fitted constant covers all constants that it can: c * (c + x) is c + c * x, and c * x / (1 + c * x) is
// c * x / (c + x). A term with a fitted factor has no sign.
Structure sum_structure(std::vector<Structure::Part> terms);
Structure product_structure(std::vector<Structure::Part> factors);
Structure power_structure(Structure base, Structure exponent);
Structure call_structure(Symbol function, Structure argument);
// An operator that the corpus does not have.
Structure other_structure(Op op, std::vector<Structure::Part> arguments);

// The structure built again; it changes only if the functions above write it differently.
Structure rebuilt(const Structure& structure);

}  // namespace ddsr

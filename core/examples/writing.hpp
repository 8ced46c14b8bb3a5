// Writes an item as a formula: one form for all expressions with the same item.
//
// A sum is (a + b + ...) - (c + d + ...) and a product (a * b * ...) / (c * d * ...), with left-associative
// chains: ((a + b) + c). The operands of a chain are ordered by size, then by their tokens with all variables
// taken as one, then by the variables' columns, then by constants. So columns decide only between operands
// that are otherwise alike.
#pragma once

#include "examples/item.hpp"

namespace ddsr {

Formula written(const Vocabulary& vocabulary, const Item& item);

// Whether `left` comes before `right` among the operands of a chain.
bool comes_before(const Vocabulary& vocabulary, const Formula& left, const Formula& right);

}  // namespace ddsr

// An item written as a formula: the one form that all expressions with the same item share.
//
// A sum is (a + b + ...) - (c + d + ...) and a product (a * b * ...) / (c * d * ...), each chain to the left:
// ((a + b) + c). Operands of a chain are ordered by size, then by their tokens with all variables taken as
// one, then by the variables' columns, then by constants: columns decide only between operands that are alike
// in all else.
#pragma once

#include "examples/item.hpp"

namespace ddsr {

Formula written(const Vocabulary& vocabulary, const Item& item);

// Whether `left` stands before `right` among the operands of a chain.
bool comes_before(const Vocabulary& vocabulary, const Formula& left, const Formula& right);

}  // namespace ddsr

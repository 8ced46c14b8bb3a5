// Removes what a free scale and offset make redundant. y = a f(x) + b is fitted with a and b, so f is needed
// without them and without every inner constant that they can replace.
#pragma once

#include "examples/item.hpp"

namespace ddsr {

// 2 x + 3 becomes x, 5 / (2 + 3 x) becomes 1 / (x + 2/3), log(4 x) becomes log(x), exp(x + 1) becomes exp(x).
// Below an even function, one of the two signs of a sum is chosen.
Item without_scale_and_offset(const Vocabulary& vocabulary, Item item);

}  // namespace ddsr

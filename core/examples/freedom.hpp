// What a free scale and offset make superfluous: y = a f(x) + b is fitted with a and b, so that f is wanted
// without them, and without every inner constant that a and b can take over.
#pragma once

#include "examples/item.hpp"

namespace ddsr {

// 2 x + 3 becomes x, 5 / (2 + 3 x) becomes 1 / (x + 2/3), log(4 x) becomes log(x), exp(x + 1) exp(x). Of the
// two signs that a sum may have below an even function one is chosen.
Item without_scale_and_offset(const Vocabulary& vocabulary, Item item);

}  // namespace ddsr

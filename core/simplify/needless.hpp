// Simplifies a tree after some of its constants were fixed: removes constants that became 0 or 1 and
// everything that these make redundant.
//
// The simplifier (simplify.hpp) treats all constants as numbers. Here a fitted constant stays one, whatever
// its value.
#pragma once

#include <optional>

#include "simplify/tree.hpp"

namespace ddsr {

// Values do not change wherever the given tree has one. Returns nothing if the result has no values. The tree
// may have operators that the vocabulary lacks: a minus is written as the vocabulary allows.
std::optional<Tree> without_needless(const Vocabulary& vocabulary, const Tree& tree);

// -f for a difference, the logarithm of a ratio, or a tree that contains one with which its sign changes;
// nothing for all others.
std::optional<Tree> flipped(const Tree& tree);

}  // namespace ddsr

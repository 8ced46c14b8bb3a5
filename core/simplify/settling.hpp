// What is left of a tree after some of its constants were settled: what has become 0 or 1 goes, and takes
// along what it can.
//
// The simplifier (simplify.hpp) takes all constants for the numbers that they are; here a fitted constant
// stays one, whatever its value.
#pragma once

#include <optional>

#include "simplify/settled_tree.hpp"

namespace ddsr {

// Values do not change, wherever the tree as it was had a value; none of a tree that has none any more. The
// tree may have operators that the vocabulary lacks: a minus is written in the vocabulary's way.
std::optional<Tree> settled(const Vocabulary& vocabulary, const Tree& tree);

// -f of a difference or the logarithm of a ratio, or of what turns its sign with one that it has; none of any
// other.
std::optional<Tree> flipped(const Tree& tree);

}  // namespace ddsr

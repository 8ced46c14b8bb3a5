// A number for the structure of an expression, independent of the order of operands, the values of constants
// and the names of variables.
#pragma once

#include <cstdint>
#include <span>

#include "expression/vocabulary.hpp"

namespace ddsr {

// For a breadth-first sequence. Different structures hardly ever share a number: variables are distinguished
// by their positions, in rounds that each see one more level of repeated use.
std::uint64_t structure_signature(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

}  // namespace ddsr

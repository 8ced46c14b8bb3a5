// A number for the structure of an expression: the same for all orders of operands, all values of constants
// and all names of variables.
#pragma once

#include <cstdint>
#include <span>

#include "expression/vocabulary.hpp"

namespace ddsr {

// Of a breadth-first sequence. Different structures may share a number, but hardly ever do: variables are
// told apart by where they stand, in rounds, each of which sees one more level of repeated use.
std::uint64_t structure_signature(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

}  // namespace ddsr

// Finds which rule of a grammar an expression breaks, and where.
#pragma once

#include <span>

#include "expression/tree.hpp"
#include "grammar/grammar.hpp"

namespace ddsr {

// Returns the first illegal token of a breadth-first sequence with the rule that it breaks, or nothing if the
// sequence is a legal expression. Tokens in the reason are written #id.
// `constants` are their values, on which units depend; empty: unknown.
Flaw find_violation(const Grammar& grammar, std::span<const TokenId> tokens,
                    std::span<const double> constants = {});

// The same for a sequence that may end before its expression is complete.
Flaw find_violation_in_prefix(const Grammar& grammar, std::span<const TokenId> tokens);

}  // namespace ddsr

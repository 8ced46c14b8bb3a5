// The cost that simplification minimises.
//
// Tokens count first; then constants, except integer exponents from 3 on, which are no worse than repeated
// factors; then roots and constants that are not integers (an exponent that is not an integer is both); then
// variables and negative constants.
#pragma once

#include <cstdint>

#include "expression/formula.hpp"

namespace ddsr {

using Cost = std::int64_t;
inline constexpr Cost VARIABLE_COST = 1, NEGATIVE_COST = 1, ROOT_COST = Cost{1} << 13,
                      CONSTANT_COST = Cost{1} << 26,
                      TOKEN_COST = Cost{1} << 39;  // each is more than LONGEST times the previous one
inline constexpr Cost UNWRITABLE = Cost{1} << 56;

// The cost of a token regardless of its context; `value` is that of a constant.
Cost cost_of_token(const Token& token, double value);
// How much cheaper a constant is as the exponent of a power.
Cost exponent_discount(double exponent);
Cost cost_of(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

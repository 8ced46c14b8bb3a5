// What simplification makes smaller.
//
// Tokens count first; then constants, save the whole exponents from 3 on, which say no more than a repeated
// factor does; then roots and constants that are not whole (an exponent that is not whole is both a root and
// such a constant); then variables and negative constants.
#pragma once

#include <cstdint>

#include "expression/formula.hpp"

namespace ddsr {

using Cost = std::int64_t;
inline constexpr Cost VARIABLE_COST = 1, NEGATIVE_COST = 1, ROOT_COST = Cost{1} << 13,
                      CONSTANT_COST = Cost{1} << 26,
                      TOKEN_COST = Cost{1} << 39;  // each more than LONGEST of the one before
inline constexpr Cost UNWRITABLE = Cost{1} << 56;

// Of a token, whatever it stands among; the value is that of a constant.
Cost cost_of_token(const Token& token, double value);
// By how much a constant costs less for being the exponent of a power.
Cost exponent_discount(double exponent);
Cost cost_of(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

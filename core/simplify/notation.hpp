// The usual notation of expressions once their constants are fixed, with the same values: x^2 for x * x,
// f / 3 for 0.333... * f, exp(k * x) for a fitted c^x, -tanh(x) for tanh(-x).
//
// The simplifier (simplify.hpp) makes expressions shorter. These rules may keep their length or add to it,
// and distinguish fixed from fitted constants.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "simplify/tree.hpp"

namespace ddsr {

enum class NotationRule : std::uint8_t {
  SimpleBases,
  Exponentials,
  Powers,
  Complements,
  UnitFactors,
  UprightRoots,
  OneBar,
  ClearedDenominators,
  Squares,
  OuterSigns,
  PhasesInHalfATurn,
  PhasesInATurn,
  Differences,
  TurnedDifferences,
  Order,
  Fractions,
};

inline constexpr std::string_view NOTATION_RULES[] = {
    "simple bases", "exponentials",          "powers",
    "complements",  "unit factors",          "upright roots",
    "one bar",      "cleared denominators",  "squares",
    "outer signs",  "phases in half a turn", "phases in a turn",
    "differences",  "turned differences",    "order",
    "fractions"};

// Bases that are kept: integers, and inverses of integers that are short decimals.
inline constexpr double SIMPLE_BASES[] = {2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 0.5, 0.25, 0.2, 0.1};

// Whether a double is exactly an integer, a fraction, a multiple of pi or a root: not a truncated decimal.
using IsExact = std::function<bool(double)>;
using IsAllowed = std::function<bool(const FlaggedFormula&)>;

// Applies the rules in order, skipping results that the vocabulary cannot write or that are not allowed.
// Returns nothing if nothing changes.
std::optional<FlaggedFormula> rewritten(const Vocabulary& vocabulary, const FlaggedFormula& given,
                                        std::span<const NotationRule> rules, const IsAllowed& is_allowed,
                                        const IsExact& is_exact);

// notation_powers.cpp
// b^f for exp(log(b) * f), and for a fitted base b, if b is simple
Tree with_simple_bases(const Tree& tree);
// exp(log(c) * f) for c^f with a fitted c
Tree with_exponentials(const Tree& tree);
// u^f for exp(log(u) * f), u^(1 / f) for exp(log(u) / f), exp(c * u) for exp(u)^c, c * log(u) for log(u^c)
Tree with_powers(const Tree& tree);

// notation_angles.cpp
// asin(u) for pi / 2 - acos(u), and acos(u) for pi / 2 - asin(u)
Tree with_complements(const Tree& tree);
// Reduces phases of periodic functions larger than `beyond` periods to half a period at most. A fitted phase
// stays fitted, a truncated one becomes fitted again, and an exact one stays exact.
Tree with_small_phases(const Tree& tree, double beyond, const IsExact& is_exact);

// notation_products.cpp
// f for 1 * f and f * 1 with a fixed 1
Tree without_unit_factors(const Tree& tree);
// f * sqrt(h / g) for f / sqrt(g / h)
Tree with_upright_roots(const Tree& tree);
// f * g / h for f * (g / h), and for f / h * g
Tree with_one_bar(const Tree& tree);
// 2 * f for f + f; x^2 for x * x and f * x^2 for f * x * x, which have the same length, for variables x
Tree with_squares(const Tree& tree);
// A number, variables by column, their powers, then all other factors; in sums, variables by column
Tree in_order(const Tree& tree);
// f / 3 for 0.333... * f, 2 / 3 for 0.666..., for fixed constants
Tree with_fractions(const Tree& tree);

// notation_ratios.cpp
// c * x / (d + x) for a / (b + 1 / x), with a monomial x and a number b
Tree with_cleared_denominators(const Tree& tree);

// notation_signs.cpp
// Moves signs out of odd and even functions if that takes no more tokens: a sign is combined with a number or
// another sign, turns a sum into a difference, or was a minus in front of the argument
Tree with_outer_signs(const Tree& tree);
// f - 0.9 for f + -0.9, f + 0.9 for f - -0.9, and f - 0.9 * g for -0.9 * g + f
Tree with_differences(const Tree& tree);
// f(y - x) for -f(x - y) with an odd f, and (y - x) * g for -(x - y) * g
Tree with_turned_differences(const Tree& tree);

}  // namespace ddsr

// Whether an expression is consistent in its units.
//
// Variables have units, numbers have none. A few fitted constants may take whatever unit they need; how many
// is a rule of the grammar. A factor never needs one: the scale of a model is a number. The constants of a
// template are not counted.
//
// Operators act on units by a few laws: sums need equal units, products add the exponents, homogeneous
// functions multiply them, and all other functions need plain numbers. A power of something with a unit needs
// a constant exponent, which is part of the structure: fitting must not change it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expression/formula.hpp"
#include "expression/tree.hpp"
#include "grammar/template_units.hpp"
#include "grammar/unit.hpp"

namespace ddsr {

// Nothing if an exponent is not a multiple of 1/60, or too large.
std::optional<Unit> product(const Unit& a, const Unit& b);
std::optional<Unit> quotient(const Unit& a, const Unit& b);
std::optional<Unit> power(const Unit& a, double exponent);

struct Units {
  std::vector<Unit> of_variables;
  Unit of_target;
  int most_constants = 0;          // with a unit
  TemplateUnits of_template = {};  // if there is a template

  // Whether a constant may be added to every expression.
  bool allows_offset() const { return of_target.is_number() || most_constants > 0; }
};

// How an operator acts on units.
struct UnitLaw {
  enum class Kind : std::uint8_t {
    Same,   // operands of one unit, which is that of the result
    Ratio,  // operands of one unit; the result is a number
    Product,
    Quotient,
    Power,
    Degree,  // multiplies the exponents by `degree`
    Sign,    // any operand; the result is a number
    Number,  // numbers give a number
  };
  Kind kind;
  double degree = 0.0;
};
UnitLaw unit_law(const Token& token);

// Where and why the units of an expression do not agree. `constants` has the values of its constants; if it
// is empty, they are unknown, and a power of something with a unit is a flaw.
Flaw find_unit_flaw(const Vocabulary& vocabulary, const Units& units, std::span<const TokenId> breadth_first,
                    std::span<const double> constants);

// Marks the constants that are exponents of something with a unit, for a consistent expression.
std::vector<std::uint8_t> fixed_by_units(const Vocabulary& vocabulary, const Units& units,
                                         std::span<const TokenId> breadth_first,
                                         std::span<const double> constants);

// The unit of each constant of a consistent expression; nothing where it is not determined.
std::vector<std::optional<Unit>> units_of_constants(const Vocabulary& vocabulary, const Units& units,
                                                    std::span<const TokenId> breadth_first,
                                                    std::span<const double> constants);

// The unit of each subtree of a formula in prefix order, as if no constant had one; nothing where the units
// do not agree.
std::vector<std::optional<Unit>> units_of_subtrees(const Vocabulary& vocabulary, const Units& units,
                                                   const Formula& formula);

// The unit that the subtree at token `begin` needs for the whole formula to have that of the target. Nothing
// if it may have any, or if other parts of the formula do not agree.
std::optional<Unit> needed_unit(const Vocabulary& vocabulary, const Units& units, const Formula& formula,
                                int begin);

// The unit of an operator's result; nothing if its operands do not agree. `other` is that of the second
// operand, if it has one, and `exponent` the value of a constant second operand (NaN or 0: none).
std::optional<Unit> result_unit(const UnitLaw& law, const Unit& operand, const std::optional<Unit>& other,
                                double exponent);

// The unit of the operand below an operator whose result has this one; nothing if no unit will do, or any.
std::optional<Unit> operand_unit(const UnitLaw& law, bool is_first, const std::optional<Unit>& result,
                                 const std::optional<Unit>& other, double exponent);

}  // namespace ddsr

#include "grammar/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "expression/operands.hpp"
#include "grammar/grammar.hpp"
#include "grammar/unit_inference.hpp"

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

std::string reason_for(const UnitLaw& law, TokenId id) {
  using Kind = UnitLaw::Kind;
  const std::string name = token_text(id);
  switch (law.kind) {
    case Kind::Same:
    case Kind::Ratio:
      return name + " has operands of different units";
    case Kind::Power:
      return name + " needs a fixed exponent or a base without a unit, and an exponent without a unit";
    case Kind::Product:
    case Kind::Quotient:
    case Kind::Degree:
      return name + " has a unit with an exponent that is too large or not a simple fraction";
    default:
      return name + " needs a number, but has something with a unit";
  }
}

std::optional<Unit> product(const Unit& a, const Unit& b) {
  return unit_with([&](std::size_t i) { return static_cast<double>(a.parts[i]) + b.parts[i]; });
}

std::optional<Unit> quotient(const Unit& a, const Unit& b) {
  return unit_with([&](std::size_t i) { return static_cast<double>(a.parts[i]) - b.parts[i]; });
}

std::optional<Unit> power(const Unit& a, double exponent) {
  return unit_with([&](std::size_t i) { return a.parts[i] == 0 ? 0.0 : exponent * a.parts[i]; });
}

UnitLaw unit_law(const Token& token) {
  using Kind = UnitLaw::Kind;
  if (token.own != nullptr) return {Kind::Number};
  switch (token.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Min:
    case Op::Max:
    case Op::Hypot:
      return {Kind::Same};
    case Op::Atan2:
      return {Kind::Ratio};
    case Op::Mul:
      return {Kind::Product};
    case Op::Div:
      return {Kind::Quotient};
    case Op::Pow:
      return {Kind::Power};
    case Op::Sign:
    case Op::Step:
      return {Kind::Sign};
    default: {
      const double degree = row_of(token.op).degree;
      return degree == 0.0 ? UnitLaw{Kind::Number} : UnitLaw{Kind::Degree, degree};
    }
  }
}

Flaw find_unit_flaw(const Vocabulary& vocabulary, const Units& units, std::span<const TokenId> breadth_first,
                    std::span<const double> constants) {
  return Inference(vocabulary, units, breadth_first, constants).run();
}

std::vector<std::uint8_t> fixed_by_units(const Vocabulary& vocabulary, const Units& units,
                                         std::span<const TokenId> breadth_first,
                                         std::span<const double> constants) {
  std::vector<std::uint8_t> is_fixed(constants.size());
  Inference inference(vocabulary, units, breadth_first, constants);
  if (inference.run()) return is_fixed;
  std::vector<std::size_t> constant_at(breadth_first.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < breadth_first.size(); ++i) {
    constant_at[i] = n;
    n += vocabulary.is_constant(breadth_first[i]);
  }
  for (std::size_t i = 0; i < breadth_first.size(); ++i) {
    const Token& token = vocabulary[breadth_first[i]];
    if (token.kind != Kind::Operator || token.op != Op::Pow || token.own != nullptr) continue;
    const std::size_t base = inference.first_child(i), exponent = base + 1;
    const bool has_unit = inference.at_token(base).cost_of({}) > 0;
    if (has_unit && vocabulary.is_constant(breadth_first[exponent])) is_fixed[constant_at[exponent]] = 1;
  }
  return is_fixed;
}

std::vector<std::optional<Unit>> units_of_subtrees(const Vocabulary& vocabulary, const Units& units,
                                                   const Formula& formula) {
  const std::size_t n = formula.tokens.size();
  std::vector<std::optional<Unit>> found(n);
  std::vector<std::size_t> operands;  // the subtrees to the right, nearest last
  std::size_t next_constant = formula.constants.size();
  std::vector<double> numbers(n, UNKNOWN);
  for (std::size_t i = n; i-- > 0;) {
    const Token& token = vocabulary[formula.tokens[i]];
    if (token.kind == Kind::Constant) numbers[i] = formula.constants[--next_constant];
    if (token.kind == Kind::One) numbers[i] = 1.0;
    if (token.kind == Kind::Variable) found[i] = units.of_variables[at(token.variable)];
    if (token.kind == Kind::Constant || token.kind == Kind::One) found[i] = Unit{};
    if (token.kind == Kind::Operator && token.op != Op::Template) {
      const std::size_t first = operands.back(),
                        second = token.arity == 2 ? operands[operands.size() - 2] : first;
      operands.resize(operands.size() - at(token.arity));
      std::optional<Unit> other;
      if (token.arity == 2) other = found[second];
      if (found[first] && found[second])
        found[i] =
            result_unit(unit_law(token), *found[first], other, token.arity == 2 ? numbers[second] : UNKNOWN);
    }
    operands.push_back(i);
  }
  return found;
}

std::optional<Unit> result_unit(const UnitLaw& law, const Unit& operand, const std::optional<Unit>& other,
                                double exponent) {
  const Possible b = Possible::only(other.value_or(Unit{}));
  const Possible found = result_of(law, Possible::only(operand), b, exponent == 0.0 ? UNKNOWN : exponent);
  if (found.is_empty(0)) return {};
  return found.begin()->unit;
}

std::optional<Unit> operand_unit(const UnitLaw& law, bool is_first, const std::optional<Unit>& result,
                                 const std::optional<Unit>& other, double exponent) {
  using Kind = UnitLaw::Kind;
  switch (law.kind) {
    case Kind::Same:
      return result ? result : other;
    case Kind::Ratio:
      return other;
    case Kind::Product:
      return result && other ? quotient(*result, *other) : std::nullopt;
    case Kind::Quotient:
      if (!result || !other) return {};
      return is_first ? product(*result, *other) : quotient(*other, *result);
    case Kind::Degree:
      return result ? power(*result, 1.0 / law.degree) : std::nullopt;
    case Kind::Power:
      if (!is_first || std::isnan(exponent)) return Unit{};
      return result && exponent != 0.0 ? power(*result, 1.0 / exponent) : std::nullopt;
    case Kind::Sign:
      return {};
    case Kind::Number:
      break;
  }
  return Unit{};
}

namespace {

struct HoleToFill {
  int index, begin;
  std::vector<std::optional<Unit>> of_others;
};

// The operand of the template that the token at `place` belongs to.
HoleToFill hole_around(const Vocabulary& vocabulary, const Formula& filled, int place,
                       const std::vector<std::optional<Unit>>& known) {
  HoleToFill found{0, 1, {}};
  const std::vector<Range> operands = operands_of(vocabulary, filled);
  for (std::size_t hole = 0; hole < operands.size(); ++hole) {
    const auto [begin, end] = operands[hole];
    const bool is_around = begin <= place && place < end;
    if (is_around) found.index = static_cast<int>(hole), found.begin = begin;
    found.of_others.push_back(is_around ? std::nullopt : known[at(begin)]);
  }
  return found;
}

}  // namespace

std::optional<Unit> needed_unit(const Vocabulary& vocabulary, const Units& units, const Formula& formula,
                                int begin) {
  const std::vector<std::optional<Unit>> known = units_of_subtrees(vocabulary, units, formula);
  std::optional<Unit> needed = units.of_target;
  for (int place = 0; place != begin && needed;) {
    const Token& token = vocabulary[formula.tokens[at(place)]];
    const int first = place + 1;
    if (token.op == Op::Template) {
      const HoleToFill hole = hole_around(vocabulary, formula, begin, known);
      needed = demanded_unit(units.of_template, hole.index, hole.of_others);
      if (!needed) needed = known[at(hole.begin)];  // any unit will do
      place = hole.begin;
      continue;
    }
    const int second = token.arity == 2 ? subtree_end(vocabulary, formula.tokens, first) : -1;
    const bool is_first = second < 0 || begin < second;
    std::optional<Unit> other;
    if (second >= 0) other = known[at(is_first ? second : first)];
    double exponent = UNKNOWN;
    if (second >= 0 && vocabulary.is_constant(formula.tokens[at(second)]))
      exponent = formula.constants[at(constants_before(vocabulary, formula.tokens, second))];
    needed = operand_unit(unit_law(token), is_first, needed, other, exponent);
    place = is_first ? first : second;
  }
  return needed;
}

}  // namespace ddsr

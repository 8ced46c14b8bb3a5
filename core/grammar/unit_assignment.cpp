// Which unit each constant of a consistent expression has.
#include <algorithm>

#include "grammar/grammar.hpp"
#include "grammar/unit_inference.hpp"

namespace ddsr {

namespace {

// The units of two operands, as cheap as possible.
class Cheapest {
 public:
  std::optional<Unit> first, second;

  void offer(const std::optional<Unit>& a, const std::optional<Unit>& b, int cost) {
    if (!a || !b || cost >= cost_) return;
    first = a, second = b, cost_ = cost;
  }

 private:
  int cost_ = Possible::NEVER;
};

Cheapest factors_of(const Unit& wanted, const Possible& a, const Possible& b, bool is_product) {
  Cheapest cheapest;
  for (const auto& [unit, cost] : a) {
    const std::optional<Unit> other = is_product ? quotient(wanted, unit) : quotient(unit, wanted);
    if (other) cheapest.offer(unit, other, cost + b.cost_of(*other));
  }
  for (const auto& [unit, cost] : b) {
    const std::optional<Unit> other = is_product ? quotient(wanted, unit) : product(wanted, unit);
    if (other) cheapest.offer(other, unit, cost + a.cost_of(*other));
  }
  return cheapest;
}

// The units of the operands of an operator whose result has this one.
Cheapest operands_of(const UnitLaw& law, const Unit& wanted, const Possible& a, const Possible& b,
                     double exponent) {
  using Kind = UnitLaw::Kind;
  const Unit number{};
  Cheapest cheapest;
  switch (law.kind) {
    case Kind::Same:
      cheapest.offer(wanted, wanted, 0);
      break;
    case Kind::Ratio:
      for (const Possible* each : {&a, &b})
        for (const auto& [unit, cost] : *each) cheapest.offer(unit, unit, a.cost_of(unit) + b.cost_of(unit));
      break;
    case Kind::Product:
    case Kind::Quotient:
      return factors_of(wanted, a, b, law.kind == Kind::Product);
    case Kind::Degree:
      cheapest.offer(power(wanted, 1.0 / law.degree), number, 0);
      break;
    case Kind::Power: {
      if (wanted.is_number()) cheapest.offer(number, number, a.cost_of(number) + b.cost_of(number));
      const bool is_known = !std::isnan(exponent) && exponent != 0.0;
      const std::optional<Unit> base = is_known ? power(wanted, 1.0 / exponent) : std::nullopt;
      if (base) cheapest.offer(base, number, a.cost_of(*base));
      break;
    }
    case Kind::Sign:
      for (const auto& [unit, cost] : a) cheapest.offer(unit, number, cost);
      break;
    case Kind::Number:
      cheapest.offer(number, number, 0);
      break;
  }
  return cheapest;
}

// The units of the operands of a template: those of its constants follow from those of its functions.
std::vector<std::optional<Unit>> units_in_template(const TemplateUnits& pattern,
                                                   std::vector<std::optional<Unit>> of_holes) {
  const auto n_holes = static_cast<int>(of_holes.size());
  for (int hole = 0; hole < n_holes; ++hole)
    if (std::optional<Unit>& unit = of_holes[static_cast<std::size_t>(hole)]; !unit)
      unit = demanded_unit(pattern, hole, of_holes);
  std::vector<std::optional<Unit>> found = of_holes;
  for (std::size_t constant = 0; constant < pattern.constants.size(); ++constant)
    if (pattern.constants[constant]) found[constant] = value_of(*pattern.constants[constant], of_holes);
  return found;
}

}  // namespace

std::vector<std::optional<Unit>> units_of_constants(const Vocabulary& vocabulary, const Units& units,
                                                    std::span<const TokenId> breadth_first,
                                                    std::span<const double> constants) {
  std::vector<std::optional<Unit>> found, wanted(breadth_first.size());
  Inference inference(vocabulary, units, breadth_first, constants);
  if (inference.run()) return std::vector<std::optional<Unit>>(constants.size());
  wanted[0] = units.of_target;
  for (std::size_t i = 0; i < breadth_first.size(); ++i) {  // a node comes before its operands
    const Token& token = vocabulary[breadth_first[i]];
    if (token.kind == Kind::Constant) found.push_back(wanted[i]);
    if (token.kind == Kind::Operator && token.op == Op::Template) {
      std::ranges::copy(units_in_template(units.of_template, inference.of_holes()), wanted.begin() + 1);
      continue;
    }
    if (token.kind != Kind::Operator || !wanted[i]) continue;
    const std::size_t first = inference.first_child(i), second = token.arity == 2 ? first + 1 : first;
    const Possible none = Possible::only({});
    const Cheapest operands = operands_of(unit_law(token), *wanted[i], inference.at_token(first),
                                          token.arity == 2 ? inference.at_token(second) : none,
                                          token.arity == 2 ? inference.number(second) : UNKNOWN);
    wanted[first] = operands.first;
    if (token.arity == 2) wanted[second] = operands.second;
  }
  return found;
}

}  // namespace ddsr

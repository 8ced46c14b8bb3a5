#include "evolution/unit_repair.hpp"

#include <cmath>

namespace ddsr {

namespace {

// Probability of replacing a leaf that has the wrong unit rather than multiplying it.
constexpr double REPLACE_RATE = 0.5;
// Probability of skipping the simplest entry for the next one, and so on.
constexpr double NEXT_RATE = 0.7;

}  // namespace

std::optional<UnitRepair::Part> UnitRepair::repaired(const Formula& formula, const Wanted& wanted,
                                                     RandomSource& random) const {
  int place = 0;
  return part(formula, place, wanted, random);
}

std::optional<UnitRepair::Part> UnitRepair::part(const Formula& formula, int& place, const Wanted& wanted,
                                                 RandomSource& random) const {
  const TokenId id = formula.tokens[static_cast<std::size_t>(place)];
  const Token& token = vocabulary_[id];
  std::optional<Part> found;
  if (token.kind == Kind::Operator) {
    found = of_operator(formula, place, wanted, random);
  } else {
    found = Part{{{id}, {}}, {}};
    if (token.kind == Kind::Variable)
      found->unit = units_.of_variables[static_cast<std::size_t>(token.variable)];
    if (token.kind == Kind::Constant) {
      const int index = constants_before(vocabulary_, formula.tokens, place);
      found->formula.constants.push_back(formula.constants[static_cast<std::size_t>(index)]);
      // It may take the unit; the grammar counts those that do.
      if (units_.most_constants > 0 && wanted) found->unit = *wanted;
    }
    ++place;
  }
  if (!found || !wanted || found->unit == *wanted) return found;
  return with_unit(std::move(*found), *wanted, random);
}

std::optional<UnitRepair::Part> UnitRepair::of_operator(const Formula& formula, int& place,
                                                        const Wanted& wanted, RandomSource& random) const {
  using Kind = UnitLaw::Kind;
  const TokenId id = formula.tokens[static_cast<std::size_t>(place)];
  const Token& token = vocabulary_[id];
  const UnitLaw law = unit_law(token);
  if (law.kind == Kind::Power) return of_power(formula, place, wanted, random);
  const bool is_free = law.kind == Kind::Product || law.kind == Kind::Quotient;
  ++place;
  const Wanted of_first =
      is_free ? Wanted{} : operand_unit(law, true, wanted, {}, std::numeric_limits<double>::quiet_NaN());
  const std::optional<Part> first = part(formula, place, of_first, random);
  if (!first) return {};
  Part whole{{{id}, {}}, {}};
  append(whole.formula, first->formula);
  Wanted second_unit;
  if (token.arity == 2) {
    const Wanted of_second = operand_unit(law, false, law.kind == Kind::Same ? first->unit : wanted,
                                          first->unit, std::numeric_limits<double>::quiet_NaN());
    const std::optional<Part> second = part(formula, place, of_second, random);
    if (!second) return {};
    append(whole.formula, second->formula);
    second_unit = second->unit;
  }
  std::optional<Unit> unit = Unit{};
  if (law.kind == Kind::Same) unit = first->unit;
  if (law.kind == Kind::Product) unit = product(first->unit, *second_unit);
  if (law.kind == Kind::Quotient) unit = quotient(first->unit, *second_unit);
  if (law.kind == Kind::Degree) unit = power(first->unit, law.degree);
  if (!unit) return {};
  whole.unit = *unit;
  return whole;
}

// A constant exponent of something with a unit becomes a multiple of one half.
std::optional<UnitRepair::Part> UnitRepair::of_power(const Formula& formula, int& place, const Wanted& wanted,
                                                     RandomSource& random) const {
  Part whole{{{formula.tokens[static_cast<std::size_t>(place)]}, {}}, {}};
  const int first = ++place, second = subtree_end(vocabulary_, formula.tokens, first);
  if (!vocabulary_.is_constant(formula.tokens[static_cast<std::size_t>(second)])) {
    for (int operand = 0; operand < 2; ++operand) {
      const std::optional<Part> number = part(formula, place, Unit{}, random);
      if (!number) return {};
      append(whole.formula, number->formula);
    }
    return whole;
  }
  const int index = constants_before(vocabulary_, formula.tokens, second);
  double exponent = formula.constants[static_cast<std::size_t>(index)];
  const bool is_of_number = wanted && wanted->is_number();
  Wanted of_base;
  if (is_of_number) of_base = Unit{};
  if (wanted && !is_of_number && exponent != 0.0) of_base = power(*wanted, 1.0 / exponent);
  const std::optional<Part> base = part(formula, place, of_base, random);
  if (!base) return {};
  ++place;  // the exponent
  if (!base->unit.is_number()) {
    exponent = 0.5 * std::nearbyint(2.0 * exponent);
    if (exponent == 0.0) exponent = 0.5;
  }
  const std::optional<Unit> unit = power(base->unit, exponent);
  if (!unit) return {};
  whole.unit = *unit;
  append(whole.formula, base->formula);
  whole.formula.tokens.push_back(formula.tokens[static_cast<std::size_t>(second)]);
  whole.formula.constants.push_back(exponent);
  return whole;
}

// A part times an entry, or over one, or an entry alone.
std::optional<UnitRepair::Part> UnitRepair::with_unit(Part part, const Unit& wanted,
                                                      RandomSource& random) const {
  const bool is_leaf = part.formula.tokens.size() == 1;
  if (is_leaf && random.chance(REPLACE_RATE))
    if (std::optional<Formula> entry = entry_of(wanted, random)) return Part{std::move(*entry), wanted};
  for (const Op op : {Op::Mul, Op::Div}) {
    const std::optional<Unit> missing =
        op == Op::Mul ? quotient(wanted, part.unit) : quotient(part.unit, wanted);
    const TokenId token = drawing_.find(op);
    if (!missing || token < 0) continue;
    const std::optional<Formula> entry = entry_of(*missing, random);
    if (!entry) continue;
    Part whole{{{token}, {}}, wanted};
    append(whole.formula, part.formula);
    append(whole.formula, *entry);
    return whole;
  }
  if (std::optional<Formula> entry = entry_of(wanted, random)) return Part{std::move(*entry), wanted};
  return {};
}

std::optional<Formula> UnitRepair::entry_of(const Unit& unit, RandomSource& random) const {
  const std::vector<int>& shapes = dictionary_.shapes_of(unit);
  if (shapes.empty()) return {};
  std::size_t rank = 0;
  while (rank + 1 < shapes.size() && random.chance(NEXT_RATE)) ++rank;
  return dictionary_.formula_of_shape(vocabulary_, shapes[rank]);
}

void UnitRepair::append(Formula& out, const Formula& part) {
  out.tokens.insert(out.tokens.end(), part.tokens.begin(), part.tokens.end());
  out.constants.insert(out.constants.end(), part.constants.begin(), part.constants.end());
}

}  // namespace ddsr

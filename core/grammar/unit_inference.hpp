// The units that the subtrees of an expression may have if some of its constants take a unit. Only the files
// on units include this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grammar/units.hpp"

namespace ddsr {

// The units that a subtree may have, each with the number of constants with a unit that this takes. With
// `of_any` of them it may have whatever unit is needed.
class Possible {
 public:
  struct Way {
    Unit unit;
    int cost;
  };
  static constexpr int NEVER = 1'000'000;
  int of_any = NEVER;

  static Possible only(const Unit& unit) {
    Possible result;
    result.add(unit, 0);
    return result;
  }
  // A fitted constant.
  static Possible constant() {
    Possible result = only({});
    result.of_any = 1;
    return result;
  }

  const Way* begin() const { return ways_.data(); }
  const Way* end() const { return ways_.data() + n_; }
  bool is_empty(int most) const { return n_ == 0 && of_any > most; }

  int cost_of(const Unit& unit) const {
    for (const Way& way : *this)
      if (way.unit == unit) return std::min(way.cost, of_any);
    return of_any;
  }
  int least_cost() const {
    int least = of_any;
    for (const Way& way : *this) least = std::min(least, way.cost);
    return least;
  }
  void add(const std::optional<Unit>& unit, int cost) {
    if (!unit || cost >= of_any || cost >= NEVER) return;
    for (std::size_t i = 0; i < n_; ++i)
      if (ways_[i].unit == *unit) {
        ways_[i].cost = std::min(ways_[i].cost, cost);
        return;
      }
    if (n_ < ways_.size()) ways_[n_++] = {*unit, cost};
  }

 private:
  // More ways need several constants with a unit in one subtree; those that come later are more expensive.
  std::array<Way, 4> ways_;
  std::size_t n_ = 0;
};

inline Possible of_equal(const Possible& a, const Possible& b, bool is_ratio) {
  Possible result;
  if (!is_ratio) result.of_any = a.of_any + b.of_any;
  for (const Possible* each : {&a, &b})
    for (const auto& [unit, cost] : *each) {
      const int both = a.cost_of(unit) + b.cost_of(unit);
      result.add(is_ratio ? Unit{} : unit, both);
    }
  if (is_ratio) result.add(Unit{}, a.of_any + b.of_any);
  return result;
}

template <typename Combine>
Possible of_pair(const Possible& a, const Possible& b, Combine combine) {
  Possible result;
  result.of_any = std::min(a.of_any + b.least_cost(), b.of_any + a.least_cost());
  for (const auto& [left, cost] : a)
    for (const auto& [right, other] : b) result.add(combine(left, right), cost + other);
  return result;
}

inline Possible of_power(const Possible& base, double exponent) {
  Possible result;
  result.of_any = exponent == 0.0 ? Possible::NEVER : base.of_any;
  for (const auto& [unit, cost] : base) result.add(power(unit, exponent), cost);
  return result;
}

// What stands in an exponent: a number that is known, or something else.
inline constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

inline Possible result_of(const UnitLaw& law, const Possible& a, const Possible& b, double exponent) {
  using Kind = UnitLaw::Kind;
  switch (law.kind) {
    case Kind::Same:
    case Kind::Ratio:
      return of_equal(a, b, law.kind == Kind::Ratio);
    case Kind::Product:
      return of_pair(a, b, product);
    case Kind::Quotient:
      return of_pair(a, b, quotient);
    case Kind::Degree:
      return of_power(a, law.degree);
    case Kind::Power: {
      Possible result;
      const int numbers = a.cost_of({}) + b.cost_of({});
      if (!std::isnan(exponent)) result = of_power(a, exponent);
      result.add(Unit{}, numbers);
      return result;
    }
    case Kind::Sign: {
      Possible result;
      result.add(Unit{}, a.least_cost());
      return result;
    }
    case Kind::Number:
      break;
  }
  Possible result;
  result.add(Unit{}, a.cost_of({}) + b.cost_of({}));
  return result;
}

// Why the operands of an operator do not agree.
std::string reason_for(const UnitLaw& law, TokenId id);

// The units of the subtrees of an expression, from its last token to its first.
class Inference {
 public:
  Inference(const Vocabulary& vocabulary, const Units& units, std::span<const TokenId> breadth_first,
            std::span<const double> constants)
      : vocabulary_(vocabulary),
        units_(units),
        tokens_(breadth_first),
        children_(first_children(vocabulary, breadth_first)),
        numbers_(breadth_first.size(), UNKNOWN),
        possible_(breadth_first.size()) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Kind kind = vocabulary[tokens_[i]].kind;
      if (kind == Kind::One) numbers_[i] = 1.0;
      if (kind == Kind::Constant && next < constants.size()) numbers_[i] = constants[next++];
    }
  }

  Flaw run() {
    for (std::size_t i = tokens_.size(); i-- > 0;) {
      const Token& token = vocabulary_[tokens_[i]];
      if (token.kind == Kind::Operator && token.op == Op::Template) return fill_template();
      if (token.kind == Kind::Operator) {
        const auto first = static_cast<std::size_t>(children_[i]),
                   second = token.arity == 2 ? first + 1 : first;
        const Possible none = Possible::only({});
        const UnitLaw law = unit_law(token);
        possible_[i] = result_of(law, possible_[first], token.arity == 2 ? possible_[second] : none,
                                 token.arity == 2 ? numbers_[second] : UNKNOWN);
        if (possible_[i].is_empty(units_.most_constants))
          return {static_cast<int>(i), reason_for(law, tokens_[i])};
      } else if (token.kind == Kind::Variable) {
        possible_[i] = Possible::only(units_.of_variables[static_cast<std::size_t>(token.variable)]);
      } else if (token.kind == Kind::Constant && units_.most_constants > 0) {
        possible_[i] = Possible::constant();
      } else {
        possible_[i] = Possible::only({});
      }
    }
    if (possible_[0].cost_of(units_.of_target) > units_.most_constants)
      return {0, "the expression does not have the unit of the target"};
    return {};
  }

  const Possible& at_token(std::size_t i) const { return possible_[i]; }
  // The units of the holes, if the root is a template whose units agree.
  const std::vector<std::optional<Unit>>& of_holes() const { return of_holes_; }
  // The value of a constant or of the literal 1.
  double number(std::size_t i) const { return numbers_[i]; }
  std::size_t first_child(std::size_t i) const { return static_cast<std::size_t>(children_[i]); }

 private:
  // Finds the units of the holes that take the fewest constants with a unit. The root is the template.
  Flaw fill_template() {
    of_holes_.assign(vocabulary_.pattern()->holes.size(), std::nullopt);
    for (int most = 0; most <= units_.most_constants; ++most)
      if (fill_holes(0, most)) return {};
    return {0, "the units of what fills the template do not agree"};
  }

  bool fill_holes(std::size_t hole, int most) {
    if (hole == of_holes_.size()) return can_agree(units_.of_template, of_holes_);
    of_holes_[hole] = std::nullopt;
    if (vocabulary_.pattern()->holes[hole].is_constant) return fill_holes(hole + 1, most);
    const Possible& possible = possible_[1 + hole];
    if (possible.of_any <= most && fill_holes(hole + 1, most - possible.of_any)) return true;
    for (const auto& [unit, cost] : possible) {
      if (cost > most) continue;
      of_holes_[hole] = unit;
      if (fill_holes(hole + 1, most - cost)) return true;
    }
    of_holes_[hole] = std::nullopt;
    return false;
  }

  const Vocabulary& vocabulary_;
  const Units& units_;
  std::span<const TokenId> tokens_;
  std::vector<int> children_;
  std::vector<double> numbers_;
  std::vector<Possible> possible_;
  std::vector<std::optional<Unit>> of_holes_;
};

}  // namespace ddsr

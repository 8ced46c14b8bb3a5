#include "price/structure.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ddsr {

namespace {

using Part = Structure::Part;

bool is_whole(double value) { return std::fabs(value) < 1e6 && value == std::trunc(value); }

// Terms and factors that are kept first, and then by symbol; equal ones stay as they came.
void sort_parts(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.is_inverse != b.is_inverse) return b.is_inverse;
    return a.structure.symbol < b.structure.symbol;
  });
}

bool has_fitted_factor(const Structure& structure) {
  return structure.is_constant() ||
         (structure.symbol == Symbol::Product && structure.parts.front().structure.is_constant());
}

bool is_negative_difference(const std::vector<Part>& factors) {
  if (factors.size() != 2 || factors[1].is_inverse || factors[1].structure.symbol != Symbol::Sum)
    return false;
  const auto& terms = factors[1].structure.parts;
  const Structure& first = factors[0].structure;
  return first.is_number() && first.number == -1.0 &&
         std::any_of(terms.begin(), terms.end(), [](const Part& part) { return part.is_inverse; });
}

// All factors of a product of products, the fixed ones taken together.
struct Factors {
  std::vector<Part> others;
  std::map<int, double> powers;  // whole ones, of variables
  double number = 1.0;
  bool has_constant = false;

  void take(bool is_inverse, Structure factor) {
    if (factor.symbol == Symbol::Product) {
      for (Part& part : factor.parts) take(is_inverse != part.is_inverse, std::move(part.structure));
    } else if (factor.is_constant()) {
      has_constant = true;
    } else if (factor.is_number()) {
      number = is_inverse ? number / factor.number : number * factor.number;
    } else if (factor.symbol == Symbol::Variable) {
      powers[factor.variable] += is_inverse ? -1.0 : 1.0;
    } else if (is_whole_power(factor)) {
      const double exponent = factor.parts[1].structure.number;
      powers[factor.parts[0].structure.variable] += is_inverse ? -exponent : exponent;
    } else {
      others.push_back({is_inverse, std::move(factor)});
    }
  }

  static bool is_whole_power(const Structure& structure) {
    if (structure.symbol != Symbol::Power) return false;
    const Structure &base = structure.parts[0].structure, &exponent = structure.parts[1].structure;
    return base.symbol == Symbol::Variable && exponent.is_number() && is_whole(exponent.number);
  }
};

}  // namespace

Structure number_structure(double value) { return {Symbol::Number, value, -1, {}}; }
Structure constant_structure() { return {Symbol::Constant, 0.0, -1, {}}; }
Structure variable_structure(int column) { return {Symbol::Variable, 0.0, column, {}}; }

Structure product_structure(std::vector<Part> given) {
  Factors factors;
  for (Part& part : given) factors.take(part.is_inverse, std::move(part.structure));
  std::vector<Part>& parts = factors.others;
  for (const auto& [variable, exponent] : factors.powers) {
    if (exponent == 0.0) continue;
    parts.push_back({exponent < 0.0,
                     power_structure(variable_structure(variable), number_structure(std::fabs(exponent)))});
  }
  if (parts.empty()) return factors.has_constant ? constant_structure() : number_structure(factors.number);
  sort_parts(parts);
  if (factors.has_constant)
    parts.insert(parts.begin(), {false, constant_structure()});
  else if (factors.number != 1.0)
    parts.insert(parts.begin(), {false, number_structure(factors.number)});
  if (parts.size() == 1 && !parts.front().is_inverse) return std::move(parts.front().structure);
  if (is_negative_difference(parts)) {  // -(x - y) is y - x
    for (Part& part : parts[1].structure.parts) part.is_inverse = !part.is_inverse;
    return sum_structure(std::move(parts[1].structure.parts));
  }
  return {Symbol::Product, 0.0, -1, std::move(parts)};
}

Structure sum_structure(std::vector<Part> given) {
  std::vector<Part> parts;
  double number = 0.0;
  bool has_constant = false;
  auto take = [&](auto&& self, bool is_inverse, Structure term) -> void {
    if (term.symbol == Symbol::Sum) {
      for (Part& part : term.parts) self(self, is_inverse != part.is_inverse, std::move(part.structure));
      return;
    }
    if (term.is_constant()) {
      has_constant = true;
      return;
    }
    if (term.is_number()) {
      number += is_inverse ? -term.number : term.number;
      return;
    }
    const bool is_scaled = term.symbol == Symbol::Product && term.parts.front().structure.is_number();
    if (is_scaled && term.parts.front().structure.number < 0.0) {
      is_inverse = !is_inverse;
      term.parts.front().structure.number *= -1.0;
      self(self, is_inverse, product_structure(std::move(term.parts)));
      return;
    }
    const bool has_own_sign = !has_fitted_factor(term);
    parts.push_back({is_inverse && has_own_sign, std::move(term)});
  };
  for (Part& part : given) take(take, part.is_inverse, std::move(part.structure));
  sort_parts(parts);
  if (has_constant)
    parts.insert(parts.begin(), {false, constant_structure()});
  else if (number != 0.0)
    parts.insert(parts.begin(), {number < 0.0, number_structure(std::fabs(number))});
  if (parts.empty()) return number_structure(0.0);
  if (std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.is_inverse; })) {
    for (Part& part : parts) part.is_inverse = false;
    std::vector<Part> factors;
    factors.push_back({false, number_structure(-1.0)});
    factors.push_back({false, sum_structure(std::move(parts))});
    return product_structure(std::move(factors));
  }
  if (parts.size() == 1) return std::move(parts.front().structure);
  return {Symbol::Sum, 0.0, -1, std::move(parts)};
}

Structure power_structure(Structure base, Structure exponent) {
  if (base.is_fixed() && exponent.is_fixed()) {
    const double value = std::pow(base.number, exponent.number);
    const bool is_known = base.is_number() && exponent.is_number() && std::isfinite(value);
    return is_known ? number_structure(value) : constant_structure();
  }
  if (base.is_fixed()) {  // 2^x is exp(c x)
    std::vector<Part> factors;
    factors.push_back({false, constant_structure()});
    factors.push_back({false, std::move(exponent)});
    return call_structure(Symbol::Exp, product_structure(std::move(factors)));
  }
  if (exponent.is_number()) {
    const double value = exponent.number;
    if (value == 0.0) return number_structure(1.0);
    if (value == 1.0) return base;
    if (value == 0.5) return call_structure(Symbol::Sqrt, std::move(base));
    if (value < 0.0) {
      std::vector<Part> factors;
      factors.push_back({true, power_structure(std::move(base), number_structure(-value))});
      return product_structure(std::move(factors));
    }
    if (base.symbol == Symbol::Power && base.parts[1].structure.is_number()) {
      const double both = base.parts[1].structure.number * value;
      return power_structure(std::move(base.parts[0].structure), number_structure(both));
    }
  }
  Structure power{Symbol::Power, 0.0, -1, {}};
  power.parts.push_back({false, std::move(base)});
  power.parts.push_back({false, std::move(exponent)});
  return power;
}

Structure call_structure(Symbol function, Structure argument) {
  if (argument.is_fixed()) return constant_structure();
  Structure call{function, 0.0, -1, {}};
  call.parts.push_back({false, std::move(argument)});
  return call;
}

namespace {

Symbol symbol_of(Op op) {
  const auto* found = std::find_if(std::begin(FUNCTIONS), std::end(FUNCTIONS),
                                   [op](const Function& function) { return function.op == op; });
  return found->symbol;
}

// Reads one subtree after the other from a formula in prefix order.
class Reader {
 public:
  Reader(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free)
      : vocabulary_(vocabulary), formula_(formula), is_free_(is_free) {}

  Structure read() {
    const Token& token = vocabulary_[formula_.tokens[n_tokens_++]];
    switch (token.kind) {
      case Kind::One:
        return number_structure(1.0);
      case Kind::Variable:
        return variable_structure(token.variable);
      case Kind::Constant: {
        const std::size_t constant = n_constants_++;
        return is_free_[constant] ? constant_structure() : number_structure(formula_.constants[constant]);
      }
      case Kind::Operator:
        break;
    }
    Structure first = read();
    if (token.arity == 1) return apply(token.op, std::move(first));
    Structure second = read();
    return apply(token.op, std::move(first), std::move(second));
  }

 private:
  static Structure apply(Op op, Structure operand) {
    switch (op) {
      case Op::Square:
        return power_structure(std::move(operand), number_structure(2.0));
      case Op::Cube:
        return power_structure(std::move(operand), number_structure(3.0));
      case Op::Inverse:
        return product_structure(parts_of({true, std::move(operand)}));
      case Op::Neg:
        return product_structure(parts_of({false, number_structure(-1.0)}, {false, std::move(operand)}));
      default:
        return call_structure(symbol_of(op), std::move(operand));
    }
  }

  static Structure apply(Op op, Structure first, Structure second) {
    if (op == Op::Pow) return power_structure(std::move(first), std::move(second));
    const bool is_inverse = op == Op::Sub || op == Op::Div;
    std::vector<Part> parts = parts_of({false, std::move(first)}, {is_inverse, std::move(second)});
    const bool is_sum = op == Op::Add || op == Op::Sub;
    return is_sum ? sum_structure(std::move(parts)) : product_structure(std::move(parts));
  }

  static std::vector<Part> parts_of(Part one) {
    std::vector<Part> made;
    made.push_back(std::move(one));
    return made;
  }
  static std::vector<Part> parts_of(Part one, Part other) {
    std::vector<Part> made = parts_of(std::move(one));
    made.push_back(std::move(other));
    return made;
  }

  const Vocabulary& vocabulary_;
  const Formula& formula_;
  std::span<const bool> is_free_;
  std::size_t n_tokens_ = 0, n_constants_ = 0;
};

}  // namespace

Structure structure_of(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free) {
  return Reader(vocabulary, formula, is_free).read();
}

Structure rebuilt(const Structure& structure) {
  std::vector<Part> parts;
  for (const Part& part : structure.parts) parts.push_back({part.is_inverse, rebuilt(part.structure)});
  switch (structure.symbol) {
    case Symbol::Number:
    case Symbol::Constant:
    case Symbol::Variable:
      return structure;
    case Symbol::Sum:
      return sum_structure(std::move(parts));
    case Symbol::Product:
      return product_structure(std::move(parts));
    case Symbol::Power:
      return power_structure(std::move(parts[0].structure), std::move(parts[1].structure));
    default:
      return call_structure(structure.symbol, std::move(parts[0].structure));
  }
}

bool is_same(const Structure& a, const Structure& b) {
  if (a.symbol != b.symbol || a.number != b.number || a.variable != b.variable) return false;
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const Part& one, const Part& other) {
                      return one.is_inverse == other.is_inverse && is_same(one.structure, other.structure);
                    });
}

int n_constants(const Structure& structure) {
  int n = structure.is_constant() ? 1 : 0;
  for (const Part& part : structure.parts) n += n_constants(part.structure);
  return n;
}

}  // namespace ddsr

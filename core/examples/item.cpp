#include "examples/item.hpp"

#include <cmath>
#include <utility>

namespace ddsr {

namespace {

using Kind_ = Item::Kind;

Item empty_sum() {
  Item sum;
  sum.kind = Kind_::Sum;
  return sum;
}

Item empty_product() {
  Item product;
  product.kind = Kind_::Product;
  product.value = 1.0;
  return product;
}

// Removes rounding from 1 and -1, because as coefficients they are not written.
double without_rounding(double value) {
  return std::fabs(std::fabs(value) - 1.0) < 1e-9 ? std::copysign(1.0, value) : value;
}

// Negates an item if that adds no number: changes the sign of a product, or turns a difference around.
bool negate(Item& item) {
  if (item.is(Kind_::Product) && item.value < 0.0) {
    item = scaled(std::move(item), -1.0);
    return true;
  }
  if (item.is(Kind_::Sum) && item.plus.empty() && item.value <= 0.0) {
    item.value = -item.value;
    std::swap(item.plus, item.minus);
    item = collapsed(std::move(item));
    return true;
  }
  return false;
}

// Removes a term from a sum and returns its total coefficient.
double taken_out(Item& sum, const Item& bare) {
  double count = 0.0;
  const auto take = [&](std::vector<Item>& terms, double sign) {
    std::erase_if(terms, [&](const Item& term) {
      if (with_coefficient(term, 1.0) != bare) return false;
      count += sign * coefficient_of(term);
      return true;
    });
  };
  take(sum.plus, 1.0), take(sum.minus, -1.0);
  return count;
}

bool is_number(const Item& item, double value) { return item.is(Kind_::Number) && item.value == value; }

Item power_item(Item base, Item exponent);

// Removes the minus sign of a negative exponent; the factor then moves to the other side of the fraction bar.
bool is_turned(Item& factor) {
  if (factor.is_call(Op::Exp)) {
    Item& argument = factor.plus[0];
    // Numbers other than -1 are fitted with their sign.
    if (argument.is(Kind_::Product) && argument.value != -1.0) return false;
    return negate(argument);
  }
  if (!factor.is_call(Op::Pow) || !factor.plus[1].is(Kind_::Number) || factor.plus[1].value >= 0.0)
    return false;
  const double exponent = -factor.plus[1].value;
  Item base = std::move(factor.plus[0]);
  factor = power_item(std::move(base), number_item(exponent));
  return true;
}

// (c u)^n as c^n u^n, if that number is finite.
Item power_of_scaled(Item base, double exponent) {
  Item product = empty_product();
  product.value = std::pow(base.value, exponent);
  add_factor(product, power_item(with_coefficient(std::move(base), 1.0), number_item(exponent)), false);
  return collapsed(std::move(product));
}

Item power_item(Item base, Item exponent) {
  if (is_number(exponent, 1.0)) return base;
  if (base.is(Kind_::Product) && base.value != 1.0 && exponent.is(Kind_::Number) &&
      std::isfinite(std::pow(base.value, exponent.value)))
    return power_of_scaled(std::move(base), exponent.value);
  if (is_number(exponent, 0.5)) return call_item(Op::Sqrt, {std::move(base)});
  if (base.is(Kind_::Variable) && is_number(exponent, 2.0)) {
    Item product = empty_product();
    product.plus = {base, base};
    return product;
  }
  if (base.is_call(Op::Exp)) {  // exp(u)^v
    Item product = empty_product();
    add_factor(product, std::move(base.plus[0]), false);
    add_factor(product, std::move(exponent), false);
    return call_item(Op::Exp, {collapsed(std::move(product))});
  }
  if (base.is(Kind_::Number) && base.value > 0.0)
    return call_item(Op::Exp, {scaled(std::move(exponent), std::log(base.value))});
  return call_item(Op::Pow, {std::move(base), std::move(exponent)});
}

class Reader {
 public:
  Reader(const Vocabulary& vocabulary, const Formula& formula) : vocabulary_(vocabulary), formula_(formula) {}

  Item next() {
    const TokenId id = formula_.tokens[place_++];
    const Token& token = vocabulary_[id];
    if (token.kind == Kind::One) return number_item(1.0);
    if (token.kind == Kind::Constant) return number_item(formula_.constants[constant_++]);
    if (token.kind == Kind::Variable) {
      Item variable;
      variable.kind = Kind_::Variable;
      variable.token = id;
      return variable;
    }
    Item first = next();
    return token.arity == 1 ? unary(token.op, std::move(first)) : binary(token.op, std::move(first), next());
  }

 private:
  static Item unary(Op op, Item operand) {
    switch (op) {
      case Op::Neg:
        return scaled(std::move(operand), -1.0);
      case Op::Inverse:
        return binary(Op::Div, number_item(1.0), std::move(operand));
      case Op::Square:
        return power_item(std::move(operand), number_item(2.0));
      case Op::Cube:
        return power_item(std::move(operand), number_item(3.0));
      case Op::Sqrt:
        return power_item(std::move(operand), number_item(0.5));
      case Op::Exp: {  // exp(-u) is 1 / exp(u)
        Item product = empty_product();
        add_factor(product, call_item(op, {std::move(operand)}), false);
        return collapsed(std::move(product));
      }
      default:
        return call_item(op, {std::move(operand)});
    }
  }

  static Item binary(Op op, Item first, Item second) {
    if (op == Op::Pow) return power_item(std::move(first), std::move(second));
    const bool is_sum = op == Op::Add || op == Op::Sub;
    Item item = is_sum ? empty_sum() : empty_product();
    const auto put = is_sum ? add_term : add_factor;
    put(item, std::move(first), false);
    put(item, std::move(second), op == Op::Sub || op == Op::Div);
    return collapsed(std::move(item));
  }

  const Vocabulary& vocabulary_;
  const Formula& formula_;
  std::size_t place_ = 0, constant_ = 0;
};

}  // namespace

Item number_item(double value) {
  Item item;
  item.value = value;
  return item;
}

Item call_item(Op op, std::vector<Item> operands) {
  Item item;
  item.kind = Kind_::Call;
  item.op = op;
  item.plus = std::move(operands);
  return item;
}

double coefficient_of(const Item& term) { return term.is(Kind_::Product) ? term.value : 1.0; }

Item with_coefficient(Item term, double coefficient) {
  coefficient = without_rounding(coefficient);
  if (term.is(Kind_::Product)) {
    term.value = coefficient;
    return collapsed(std::move(term));
  }
  if (coefficient == 1.0) return term;
  Item product = empty_product();
  product.value = coefficient;
  product.plus.push_back(std::move(term));
  return product;
}

Item scaled(Item term, double factor) {
  const double coefficient = coefficient_of(term) * factor;
  return term.is(Kind_::Number) ? number_item(term.value * factor)
                                : with_coefficient(std::move(term), coefficient);
}

void add_term(Item& sum, Item term, bool is_minus) {
  if (term.is(Kind_::Number)) {
    sum.value += is_minus ? -term.value : term.value;
  } else if (term.is(Kind_::Sum)) {
    sum.value += is_minus ? -term.value : term.value;
    for (Item& part : term.plus) add_term(sum, std::move(part), is_minus);
    for (Item& part : term.minus) add_term(sum, std::move(part), !is_minus);
  } else {
    double coefficient = coefficient_of(term) * (is_minus ? -1.0 : 1.0);
    Item bare = with_coefficient(std::move(term), 1.0);
    if (bare.is(Kind_::Sum) && std::fabs(coefficient) == 1.0)
      return add_term(sum, std::move(bare), coefficient < 0.0);
    coefficient += taken_out(sum, bare);
    // A coefficient includes its sign; without one, the sign is that of the operator.
    if (coefficient == -1.0)
      sum.minus.push_back(std::move(bare));
    else if (coefficient != 0.0)
      sum.plus.push_back(with_coefficient(std::move(bare), coefficient));
  }
}

void add_factor(Item& product, Item factor, bool is_minus) {
  if (factor.is(Kind_::Number)) {
    product.value = is_minus ? product.value / factor.value : product.value * factor.value;
  } else if (factor.is(Kind_::Product)) {
    product.value = is_minus ? product.value / factor.value : product.value * factor.value;
    for (Item& part : factor.plus) add_factor(product, std::move(part), is_minus);
    for (Item& part : factor.minus) add_factor(product, std::move(part), !is_minus);
  } else {
    if (is_turned(factor)) return add_factor(product, std::move(factor), !is_minus);
    if (is_minus && factor.is_call(Op::Exp) && coefficient_of(factor.plus[0]) != 1.0) {
      factor.plus[0] = scaled(std::move(factor.plus[0]), -1.0);
      is_minus = false;
    }
    (is_minus ? product.minus : product.plus).push_back(std::move(factor));
  }
}

Item collapsed(Item item) {
  const bool is_sum = item.is(Kind_::Sum);
  if (!is_sum && !item.is(Kind_::Product)) return item;
  const double neutral = is_sum ? 0.0 : 1.0;
  item.value = without_rounding(item.value);
  if (item.plus.empty() && item.minus.empty()) return number_item(item.value);
  if (item.value != neutral) return item;
  if (item.plus.size() == 1 && item.minus.empty()) return Item(std::move(item.plus[0]));
  if (is_sum && item.minus.size() == 1 && item.plus.empty()) return scaled(std::move(item.minus[0]), -1.0);
  return item;
}

Item item_of(const Vocabulary& vocabulary, const Formula& formula) {
  return Reader(vocabulary, formula).next();
}

}  // namespace ddsr

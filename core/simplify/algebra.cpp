#include "simplify/algebra.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

// A sum this small relative to its operands is a rounding error of 0.
constexpr double CANCELLED = 1e-15;

}  // namespace

Algebra::Algebra(Forms& forms, const Vocabulary& vocabulary) : forms_(forms) {
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id) {
    has_sin_ |= vocabulary[id].op == Op::Sin;
    has_cos_ |= vocabulary[id].op == Op::Cos;
    has_abs_ |= vocabulary[id].op == Op::Abs;
  }
}

int Algebra::apply(Op op, int a, int b) {
  domain_grew_ = has_failed_ = false;
  if (forms_.is_number(a) && (b < 0 || forms_.is_number(b))) {
    const double value = value_of(op, forms_[a].value, b < 0 ? 0.0 : forms_[b].value);
    return std::isfinite(value) ? forms_.number(value) : forms_.call(op, a, b);
  }
  const int form = normalized(op, a, b);
  if (!has_failed_) return form;
  domain_grew_ = false;
  return forms_.call(op, a, b);
}

int Algebra::normalized(Op op, int a, int b) {
  switch (op) {
    case Op::Add:
      return add(a, b);
    case Op::Sub:
      return add(a, scale(-1.0, b));
    case Op::Neg:
      return scale(-1.0, a);
    case Op::Mul:
      return multiply(a, b);
    case Op::Div:
      return multiply(a, power(b, -1.0));
    case Op::Inverse:
      return power(a, -1.0);
    case Op::Square:
      return power(a, 2.0);
    case Op::Cube:
      return power(a, 3.0);
    case Op::Sqrt:
      return power(a, 0.5);
    case Op::Pow:
      return forms_.is_number(b) ? power(a, forms_[b].value) : general_power(a, b);
    default:
      return b < 0 ? function(op, a) : function_of_two(op, a, b);
  }
}

double Algebra::checked(double value) {
  if (keeps_digits(value)) return value;
  has_failed_ = true;
  return 1.0;  // no form holds a value that is not finite, not even a discarded one
}

double Algebra::product_of(double left, double right) {
  if (left == 0.0 || right == 0.0) return 0.0;
  return checked(left * right);
}

double Algebra::sum_of(double left, double right) {
  const double sum = left + right;
  if (std::abs(sum) <= CANCELLED * std::max(std::abs(left), std::abs(right))) return 0.0;
  return std::abs(sum) < 1.0 ? sum : checked(sum);  // a small sum has lost no digits
}

double Algebra::power_of(double base, double exponent) { return checked(std::pow(base, exponent)); }

std::vector<Part> Algebra::copy_of_parts(int id) const {
  const auto parts = forms_.parts(id);
  return {parts.begin(), parts.end()};
}

std::vector<Part> Algebra::terms_of(int id, double& constant) const {
  const Form& form = forms_[id];
  constant = form.shape == Shape::Number || form.shape == Shape::Sum ? form.value : 0.0;
  if (form.shape == Shape::Number) return {};
  if (form.shape == Shape::Sum) return copy_of_parts(id);
  return {{1.0, id}};
}

std::vector<Part> Algebra::factors_of(int id) const {
  if (forms_.is_number(id, 1.0)) return {};
  if (forms_[id].shape == Shape::Product) return copy_of_parts(id);
  return {{1.0, id}};
}

}  // namespace ddsr

// An expression with its sums and products flattened: what forms that differ only in writing have in common.
//
//   Sum      value + Σ plus − Σ minus
//   Product  value · Π plus / Π minus
//   Call     op(plus...)
#pragma once

#include <vector>

#include "expression/formula.hpp"

namespace ddsr {

struct Item {
  enum class Kind : std::uint8_t { Number, Variable, Sum, Product, Call };

  Kind kind = Kind::Number;
  double value = 0.0;  // of a number; the number in a sum; the factor of a product
  Op op{};             // of a call
  TokenId token = -1;  // of a variable
  std::vector<Item> plus, minus;

  bool operator==(const Item&) const = default;
  bool is(Kind other) const { return kind == other; }
  bool is_call(Op other) const { return kind == Kind::Call && op == other; }
};

Item number_item(double value);
Item call_item(Op op, std::vector<Item> operands);

// The number before a term of a sum: 3 of 3 * x * y, 1 of sin(x).
double coefficient_of(const Item& term);
// The same term with another number before it.
Item with_coefficient(Item term, double coefficient);
Item scaled(Item term, double factor);

// Puts a term into a sum or a factor into a product, flattening where it can. `is_minus` subtracts or
// divides.
void add_term(Item& sum, Item term, bool is_minus);
void add_factor(Item& product, Item factor, bool is_minus);
// A sum or product of one part is that part, and one of none a number.
Item collapsed(Item item);

// From prefix order. Squares of variables become x * x, exp(-u) becomes 1 / exp(u), b^u becomes exp(log(b)
// u).
Item item_of(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

// An expression with flattened sums and products, so that different notations of it agree.
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
  double value = 0.0;  // of a number; the constant of a sum; the factor of a product
  Op op{};             // of a call
  TokenId token = -1;  // of a variable
  std::vector<Item> plus, minus;

  bool operator==(const Item&) const = default;
  bool is(Kind other) const { return kind == other; }
  bool is_call(Op other) const { return kind == Kind::Call && op == other; }
};

Item number_item(double value);
Item call_item(Op op, std::vector<Item> operands);

// The coefficient of a term in a sum: 3 for 3 * x * y, 1 for sin(x).
double coefficient_of(const Item& term);
// The same term with another coefficient.
Item with_coefficient(Item term, double coefficient);
Item scaled(Item term, double factor);

// Adds a term to a sum or a factor to a product, flattening if possible. `is_minus` subtracts or divides.
void add_term(Item& sum, Item term, bool is_minus);
void add_factor(Item& product, Item factor, bool is_minus);
// A sum or product of one part becomes that part, and one without parts a number.
Item collapsed(Item item);

// Converts from prefix order. Squares of variables become x * x, exp(-u) becomes 1 / exp(u), b^u becomes
// exp(log(b) u).
Item item_of(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

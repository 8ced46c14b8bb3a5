#include "simplify/cost.hpp"

#include <cmath>

#include "simplify/forms.hpp"

namespace ddsr {

namespace {

constexpr double LEAST_FREE_EXPONENT = 3.0;  // x*x is as short as x^2

}  // namespace

Cost cost_of_token(const Token& token, double value) {
  switch (token.kind) {
    case Kind::Operator:
      return TOKEN_COST + (token.op == Op::Sqrt ? ROOT_COST : 0);
    case Kind::Variable:
      return TOKEN_COST + VARIABLE_COST;
    case Kind::Constant:
      return TOKEN_COST + CONSTANT_COST + (is_whole(value) ? 0 : ROOT_COST) +
             (value < 0.0 ? NEGATIVE_COST : 0);
    default:
      return TOKEN_COST;
  }
}

Cost exponent_discount(double exponent) {
  return is_whole(exponent) && exponent >= LEAST_FREE_EXPONENT ? CONSTANT_COST : 0;
}

// From the last token backwards, so that the operands of each operator are complete. Only the value of a
// single constant operand matters.
Cost cost_of(const Vocabulary& vocabulary, const Formula& formula) {
  Cost cost = 0;
  auto constant = formula.constants.rbegin();
  std::vector<double> operands;
  for (auto id = formula.tokens.rbegin(); id != formula.tokens.rend(); ++id) {
    const Token& token = vocabulary[*id];
    const double value = token.kind == Kind::Constant ? *constant++ : NAN;
    cost += cost_of_token(token, value);
    if (token.kind == Kind::Operator) {
      if (vocabulary.arity(*id) == 2) operands.pop_back();
      if (token.op == Op::Pow) cost -= exponent_discount(operands.back());
      operands.pop_back();
    }
    operands.push_back(value);
  }
  return cost;
}

}  // namespace ddsr

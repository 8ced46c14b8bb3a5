#include "price/reading.hpp"

#include <algorithm>
#include <utility>

#include "price/building.hpp"

namespace ddsr {

namespace {

// Reads the subtrees of a formula in prefix order one by one.
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
        const double value = formula_.constants[constant];
        return is_free_[constant] ? constant_structure(value) : number_structure(value);
      }
      case Kind::Operator:
        break;
    }
    Structure first = read();
    if (token.arity == 1) return applied(token.op, std::move(first));
    Structure second = read();
    return applied(token.op, std::move(first), std::move(second));
  }

 private:
  static Structure applied(Op op, Structure operand) {
    switch (op) {
      case Op::Square:
        return power_structure(std::move(operand), number_structure(2.0));
      case Op::Cube:
        return power_structure(std::move(operand), number_structure(3.0));
      case Op::Inverse:
        return product_structure({{true, std::move(operand)}});
      case Op::Neg:
        return product_structure({{false, number_structure(-1.0)}, {false, std::move(operand)}});
      default:
        return call_structure(symbol_of(op), std::move(operand));
    }
  }

  static Structure applied(Op op, Structure first, Structure second) {
    if (op == Op::Pow) return power_structure(std::move(first), std::move(second));
    const bool is_inverse = op == Op::Sub || op == Op::Div;
    std::vector<Structure::Part> parts = {{false, std::move(first)}, {is_inverse, std::move(second)}};
    const bool is_sum = op == Op::Add || op == Op::Sub;
    return is_sum ? sum_structure(std::move(parts)) : product_structure(std::move(parts));
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

}  // namespace ddsr

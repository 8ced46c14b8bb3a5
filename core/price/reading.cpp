#include "price/reading.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

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
    if (token.op == Op::Template) return filled();
    Structure first = read();
    if (token.arity == 1) return applied(token.op, std::move(first));
    Structure second = read();
    return applied(token.op, std::move(first), std::move(second));
  }

 private:
  // The template with what fills each hole at its first use, and a variable at later ones: an expression is
  // paid for once. A constant of the template is read as one more variable, so that it does not cover
  // constants of the expressions: an expression that only changes its value has its price.
  Structure filled() {
    const Template& pattern = *vocabulary_.pattern();
    std::vector<std::optional<Structure>> fillings;
    for (std::size_t i = 0; i < pattern.holes.size(); ++i) fillings.emplace_back(read());
    std::size_t next = 0;
    return of_pattern(pattern, next, fillings);
  }

  Structure of_pattern(const Template& pattern, std::size_t& next,
                       std::vector<std::optional<Structure>>& fillings) const {
    const Template::Node& node = pattern.nodes[next++];
    switch (node.part) {
      case Template::Part::Number:
        return number_structure(node.value);
      case Template::Part::Variable:
        return variable_structure(node.index);
      case Template::Part::Hole: {
        const auto hole = static_cast<std::size_t>(node.index);
        if (pattern.holes[hole].is_constant)
          return variable_structure(vocabulary_.n_variables() + node.index);
        if (fillings[hole]) return *std::exchange(fillings[hole], std::nullopt);
        return variable_structure(node.columns[0]);
      }
      case Template::Part::Operator:
        break;
    }
    Structure first = of_pattern(pattern, next, fillings);
    if (row_of(node.op).arity == 1) return applied(node.op, std::move(first));
    return applied(node.op, std::move(first), of_pattern(pattern, next, fillings));
  }

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
        if (!has_symbol(op)) return other_structure(op, {{false, std::move(operand)}});
        return call_structure(symbol_of(op), std::move(operand));
    }
  }

  static Structure applied(Op op, Structure first, Structure second) {
    if (op == Op::Pow) return power_structure(std::move(first), std::move(second));
    const bool is_inverse = op == Op::Sub || op == Op::Div;
    std::vector<Structure::Part> parts = {{false, std::move(first)}, {is_inverse, std::move(second)}};
    const bool is_sum = op == Op::Add || op == Op::Sub;
    if (!is_sum && op != Op::Mul && op != Op::Div) return other_structure(op, std::move(parts));
    return is_sum ? sum_structure(std::move(parts)) : product_structure(std::move(parts));
  }

  const Vocabulary& vocabulary_;
  const Formula& formula_;
  std::span<const bool> is_free_;
  std::size_t n_tokens_ = 0, n_constants_ = 0;
};

}  // namespace

int n_variables_read(const Vocabulary& vocabulary) {
  const int n_columns = std::max(vocabulary.n_variables(), 1);
  if (vocabulary.pattern() == nullptr) return n_columns;
  return n_columns +
         static_cast<int>(std::ranges::count_if(vocabulary.pattern()->holes, &Template::Hole::is_constant));
}

Structure structure_of(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free) {
  return Reader(vocabulary, formula, is_free).read();
}

}  // namespace ddsr

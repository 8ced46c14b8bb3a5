#include "examples/writing.hpp"

#include <algorithm>
#include <numbers>
#include <stdexcept>

namespace ddsr {

namespace {

class ItemWriter {
 public:
  explicit ItemWriter(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Formula write(const Item& item) const {
    switch (item.kind) {
      case Item::Kind::Number:
        return number(item.value);
      case Item::Kind::Variable:
        return {{item.token}, {}};
      case Item::Kind::Sum:
        return sum(item);
      case Item::Kind::Product:
        return product(item);
      default:
        return call(item);
    }
  }

 private:
  TokenId token_of(Op op) const {
    const TokenId id = vocabulary_.find(op);
    if (id < 0) throw std::invalid_argument("an operator that standard forms need is not in the vocabulary");
    return id;
  }

  Formula number(double value) const {
    if (value == 1.0 && vocabulary_.one() >= 0) return {{vocabulary_.one()}, {}};
    return {{vocabulary_.constant()}, {value}};
  }

  static void append(Formula& formula, const Formula& part) {
    formula.tokens.insert(formula.tokens.end(), part.tokens.begin(), part.tokens.end());
    formula.constants.insert(formula.constants.end(), part.constants.begin(), part.constants.end());
  }

  Formula joined(Op op, const Formula& first, const Formula& second) const {
    Formula formula{{token_of(op)}, {}};
    append(formula, first);
    append(formula, second);
    return formula;
  }

  Formula chain(Op op, std::vector<Formula> operands) const {
    std::stable_sort(operands.begin(), operands.end(), [&](const Formula& left, const Formula& right) {
      return comes_before(vocabulary_, left, right);
    });
    Formula formula;
    if (operands.size() > 1) formula.tokens.assign(operands.size() - 1, token_of(op));
    for (const Formula& operand : operands) append(formula, operand);
    return formula;
  }

  std::vector<Formula> all(const std::vector<Item>& items) const {
    std::vector<Formula> formulas;
    formulas.reserve(items.size() + 1);
    for (const Item& item : items) formulas.push_back(write(item));
    return formulas;
  }

  Formula sum(const Item& item) const {
    std::vector<Formula> plus = all(item.plus), minus = all(item.minus);
    if (item.value == -1.0 && !plus.empty() && vocabulary_.one() >= 0)
      minus.push_back(number(1.0));
    else if (item.value != 0.0)
      plus.push_back(number(item.value));
    if (minus.empty()) return chain(Op::Add, std::move(plus));
    if (plus.empty()) return joined(Op::Mul, number(-1.0), chain(Op::Add, std::move(minus)));
    return joined(Op::Sub, chain(Op::Add, std::move(plus)), chain(Op::Add, std::move(minus)));
  }

  Formula product(const Item& item) const {
    std::vector<Formula> plus = all(item.plus), minus = all(item.minus);
    if (item.value != 1.0 || plus.empty()) plus.push_back(number(item.value));
    if (minus.empty()) return chain(Op::Mul, std::move(plus));
    return joined(Op::Div, chain(Op::Mul, std::move(plus)), chain(Op::Mul, std::move(minus)));
  }

  Formula call(const Item& item) const {
    if (vocabulary_.find(item.op) < 0) {  // if the vocabulary lacks it, a power is used
      if (item.op == Op::Sqrt) return joined(Op::Pow, write(item.plus[0]), number(0.5));
      if (item.op == Op::Exp) return joined(Op::Pow, number(std::numbers::e), write(item.plus[0]));
    }
    Formula formula{{token_of(item.op)}, {}};
    for (const Item& operand : item.plus) append(formula, write(operand));
    return formula;
  }

  const Vocabulary& vocabulary_;
};

}  // namespace

bool comes_before(const Vocabulary& vocabulary, const Formula& left, const Formula& right) {
  if (left.tokens.size() != right.tokens.size()) return left.tokens.size() < right.tokens.size();
  const auto shape = [&](TokenId id) { return std::min(id, vocabulary.first_variable()); };
  for (std::size_t i = 0; i < left.tokens.size(); ++i)
    if (shape(left.tokens[i]) != shape(right.tokens[i]))
      return shape(left.tokens[i]) < shape(right.tokens[i]);
  if (left.tokens != right.tokens) return left.tokens < right.tokens;
  return left.constants < right.constants;
}

Formula written(const Vocabulary& vocabulary, const Item& item) { return ItemWriter(vocabulary).write(item); }

}  // namespace ddsr

#include "simplify/needless.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddsr {

namespace {

constexpr double LARGEST_WHOLE = 1000.0;

bool is_fixed_at(const Tree& tree, double value) {
  return tree.is_known(value) || (tree.kind == Kind::One && value == 1.0);
}

bool is_odd_number(const Tree& exponent) {
  return exponent.is_known() && std::abs(std::fmod(exponent.value, 2.0)) == 1.0;
}

// Operators written with Python's arithmetic, except powers.
bool is_rational(Op op) { return row_of(op).numpy.empty() && op != Op::Pow; }

class NeedlessConstants {
 public:
  explicit NeedlessConstants(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::optional<Tree> without_needless(const Tree& tree) const {
    if (!tree.is_operator()) return tree.is_known() ? number(tree.value) : tree;
    std::vector<Tree> operands;
    for (const Tree& operand : tree.operands) {
      std::optional<Tree> left = without_needless(operand);
      if (!left) return {};
      operands.push_back(std::move(*left));
    }
    if (std::ranges::all_of(operands, &Tree::is_number)) return of_numbers(tree.op, operands);
    switch (tree.op) {
      case Op::Add:
        return sum(operands[0], operands[1]);
      case Op::Sub:
        return difference(operands[0], operands[1]);
      case Op::Mul:
        return product(operands[0], operands[1]);
      case Op::Div:
        return quotient(operands[0], operands[1]);
      case Op::Pow:
        return power(operands[0], operands[1]);
      case Op::Neg:
        return negated(operands[0]);
      default:
        return of_operands(tree.op, operands);
    }
  }

 private:
  bool has(Op op) const { return vocabulary_.find(op) >= 0; }

  // A fixed constant, or the literal 1 if the vocabulary has it.
  Tree number(double value) const { return value == 1.0 && vocabulary_.one() >= 0 ? Tree{} : known(value); }

  // Evaluates an operator over numbers, unless the result would be harder to write than the operands.
  std::optional<Tree> of_numbers(Op op, const std::vector<Tree>& operands) const {
    const double value = value_of(op, operands.front().value, operands.back().value);
    if (is_own(op)) return of_operands(op, operands);
    if (!std::isfinite(value)) return {};
    if (std::ranges::any_of(operands, [](const Tree& tree) { return tree.is_constant() && !tree.is_fixed; }))
      return fitted(value);
    const bool is_whole = value == std::trunc(value) && std::abs(value) <= LARGEST_WHOLE;
    if (is_rational(op) || is_whole) return number(value);
    return of_operands(op, operands);
  }

  static Tree of_operands(Op op, const std::vector<Tree>& operands) {
    return operands.size() == 1 ? applied(op, operands[0]) : joined(op, operands[0], operands[1]);
  }

  // -f, written as the vocabulary allows.
  Tree negated(const Tree& tree) const {
    if (tree.is_known() || tree.kind == Kind::One) return number(-tree.value);
    if (tree.is_constant()) return fitted(-tree.value);
    if (const Tree* positive = positive_part(tree)) return *positive;
    if (std::optional<Tree> turned = flipped(tree)) return std::move(*turned);
    if (tree.is(Op::Mul) && tree.operands[0].is_known())
      return joined(Op::Mul, number(-tree.operands[0].value), tree.operands[1]);
    return has(Op::Neg) ? applied(Op::Neg, tree) : joined(Op::Mul, known(-1.0), tree);
  }

  // The f of a tree that reads -f; null for all others.
  static const Tree* positive_part(const Tree& tree) {
    if (tree.is(Op::Neg)) return &tree.operands[0];
    return tree.is(Op::Mul) && is_fixed_at(tree.operands[0], -1.0) ? &tree.operands[1] : nullptr;
  }

  Tree sum(const Tree& left, const Tree& right) const {
    if (is_fixed_at(left, 0.0)) return right;
    if (is_fixed_at(right, 0.0)) return left;
    if (has(Op::Sub)) {
      if (const Tree* taken = positive_part(right)) return joined(Op::Sub, left, *taken);
      if (const Tree* taken = positive_part(left)) return joined(Op::Sub, right, *taken);
    }
    return joined(Op::Add, left, right);
  }

  Tree difference(const Tree& left, const Tree& right) const {
    if (is_fixed_at(left, 0.0)) return negated(right);
    if (is_fixed_at(right, 0.0)) return left;
    const Tree* added = has(Op::Add) ? positive_part(right) : nullptr;
    return added ? joined(Op::Add, left, *added) : joined(Op::Sub, left, right);
  }

  Tree product(const Tree& left, const Tree& right) const {
    for (const auto& [factor, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      if (is_fixed_at(*factor, 0.0)) return known(0.0);
      if (is_fixed_at(*factor, 1.0)) return *other;
      if (is_fixed_at(*factor, -1.0)) return negated(*other);
    }
    // f * (1/g)
    for (const auto& [factor, other] : {std::pair(&left, &right), std::pair(&right, &left)})
      if (factor->is(Op::Div) && is_fixed_at(factor->operands[0], 1.0))
        return joined(Op::Div, *other, factor->operands[1]);
    return joined(Op::Mul, left, right);
  }

  std::optional<Tree> quotient(const Tree& left, const Tree& right) const {
    if (is_fixed_at(right, 0.0)) return {};
    if (is_fixed_at(left, 0.0)) return known(0.0);
    if (is_fixed_at(right, 1.0)) return left;
    if (is_fixed_at(right, -1.0)) return negated(left);
    return joined(Op::Div, left, right);
  }

  Tree power(const Tree& base, const Tree& exponent) const {
    if (is_fixed_at(exponent, 0.0) || is_fixed_at(base, 1.0)) return number(1.0);
    // 0^f stays: it is 0 or undefined, depending on the sign of f.
    if (is_fixed_at(exponent, 1.0)) return base;
    if (is_fixed_at(exponent, 0.5) && has(Op::Sqrt)) return applied(Op::Sqrt, base);
    if (is_fixed_at(exponent, -1.0) && has(Op::Div) && vocabulary_.one() >= 0)
      return joined(Op::Div, Tree{}, base);
    return joined(Op::Pow, base, exponent);
  }

  const Vocabulary& vocabulary_;
};

}  // namespace

std::optional<Tree> without_needless(const Vocabulary& vocabulary, const Tree& tree) {
  return NeedlessConstants(vocabulary).without_needless(tree);
}

std::optional<Tree> flipped(const Tree& tree) {
  if (!tree.is_operator()) return {};
  if (tree.is(Op::Sub)) return joined(Op::Sub, tree.operands[1], tree.operands[0]);
  if (tree.is(Op::Log) && tree.operands[0].is(Op::Div)) {
    const Tree& ratio = tree.operands[0];
    return applied(Op::Log, joined(Op::Div, ratio.operands[1], ratio.operands[0]));
  }
  const bool is_odd = row_of(tree.op).is_odd() || (tree.is(Op::Pow) && is_odd_number(tree.operands[1]));
  const std::size_t n_turning = is_odd ? 1 : (tree.is_product() ? 2 : 0);
  for (std::size_t place = 0; place < n_turning; ++place)
    if (std::optional<Tree> turned = flipped(tree.operands[place])) {
      Tree result = tree;
      result.operands[place] = std::move(*turned);
      return result;
    }
  return {};
}

}  // namespace ddsr

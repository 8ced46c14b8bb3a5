// Notation of signs.
#include <cmath>
#include <utility>

#include "simplify/needless.hpp"
#include "simplify/notation.hpp"

namespace ddsr {

namespace {

// A tree, and its opposite if the tree has a leading minus or can change its sign at no cost.
struct Signed {
  Tree tree;
  std::optional<Tree> opposite = {};
};

// f - c for c - f below an even function.
Tree variable_first(Tree tree) {
  if (tree.is(Op::Sub) && tree.operands[0].is_number() && !tree.operands[1].is_number())
    std::swap(tree.operands[0], tree.operands[1]);
  return tree;
}

// The opposite of a number or of a product that begins with one; nothing for all others.
std::optional<Tree> with_turned_number(const Tree& tree) {
  if (tree.is_constant()) return constant_like(tree, -tree.value);
  if (!tree.is_product()) return {};
  std::optional<Tree> turned = with_turned_number(tree.operands[0]);
  if (!turned) return {};
  return joined(tree.op, std::move(*turned), tree.operands[1]);
}

Tree without_one(Op op, Tree left, Tree right) {
  const bool is_one = left.is_constant() && left.value == 1.0;
  return op == Op::Mul && is_one ? right : joined(op, std::move(left), std::move(right));
}

// -f for an opposite f, written with the same kind of minus as `tree`; nothing if that has none.
std::optional<Tree> with_minus_of(const Tree& tree, const Tree& opposite) {
  if (tree.is(Op::Neg)) return applied(Op::Neg, opposite);
  if (tree.is(Op::Sub) && tree.operands[0].is_known(0.0)) return joined(Op::Sub, tree.operands[0], opposite);
  if (!tree.is_product()) return {};
  const Tree& first = tree.operands[0];
  if (tree.is(Op::Mul) && first.is_constant() && first.value == -1.0) return joined(Op::Mul, first, opposite);
  return with_minus_of(first, opposite);
}

Signed of_function(Op op, Signed operand) {
  if (op == Op::Neg) {
    Tree tree = operand.opposite ? std::move(*operand.opposite) : applied(Op::Neg, operand.tree);
    return {std::move(tree), std::move(operand.tree)};
  }
  if (row_of(op).is_even())
    return {applied(op, operand.opposite ? std::move(*operand.opposite) : variable_first(operand.tree))};
  if (!operand.opposite) return {applied(op, std::move(operand.tree))};
  Tree opposite = applied(op, std::move(*operand.opposite));
  std::optional<Tree> moved = with_minus_of(operand.tree, opposite);
  return {moved ? std::move(*moved) : applied(op, std::move(operand.tree)), std::move(opposite)};
}

Signed of_product(Op op, Signed left, Signed right) {
  if (left.opposite && right.opposite)
    return {without_one(op, std::move(*left.opposite), std::move(*right.opposite))};
  Tree tree = joined(op, left.tree, right.tree);
  if (left.opposite) return {std::move(tree), without_one(op, std::move(*left.opposite), right.tree)};
  if (!right.opposite) return {std::move(tree)};
  Tree opposite = joined(op, left.tree, *right.opposite);
  if (std::optional<Tree> turned = with_turned_number(left.tree))
    return {joined(op, std::move(*turned), std::move(*right.opposite)), std::move(opposite)};
  std::optional<Tree> moved = with_minus_of(right.tree, opposite);
  return {moved ? std::move(*moved) : std::move(tree), std::move(opposite)};
}

// Avoids a leading minus in a sum if possible.
Signed of_sum(Op op, Signed left, Signed right) {
  if (!right.opposite) {
    if (!left.opposite) return {joined(op, std::move(left.tree), std::move(right.tree))};
    if (op == Op::Add) return {joined(Op::Sub, std::move(right.tree), std::move(*left.opposite))};
    // -f - g, or the opposite of both
    return {joined(Op::Sub, left.tree, right.tree), joined(Op::Add, *left.opposite, right.tree)};
  }
  if (op == Op::Sub && left.opposite)
    return {joined(Op::Sub, std::move(*right.opposite), std::move(*left.opposite))};
  Signed result{joined(op == Op::Add ? Op::Sub : Op::Add, left.tree, *right.opposite)};
  if (left.opposite) result.opposite = joined(Op::Add, *left.opposite, *right.opposite);
  return result;
}

Signed of_power(Signed base, const Tree& exponent) {
  Tree tree = joined(Op::Pow, base.tree, exponent);
  if (!base.opposite || base.tree.is_constant() || !exponent.is_known()) return {std::move(tree)};
  const double odd = std::abs(std::fmod(exponent.value, 2.0));
  if (odd == 0.0) return {joined(Op::Pow, std::move(*base.opposite), exponent)};
  if (odd != 1.0) return {std::move(tree)};
  Tree opposite = joined(Op::Pow, std::move(*base.opposite), exponent);
  std::optional<Tree> moved = with_minus_of(base.tree, opposite);
  return {moved ? std::move(*moved) : std::move(tree), std::move(opposite)};
}

Signed read(const Tree& tree) {
  if (tree.is_constant() && tree.value < 0.0) return {tree, constant_like(tree, -tree.value)};
  if (!tree.is_operator()) return {tree};
  Signed first = read(tree.operands[0]);
  if (row_of(tree.op).parity != Parity::None) return of_function(tree.op, std::move(first));
  if (tree.operands.size() == 1) return {applied(tree.op, std::move(first.tree))};
  Signed second = read(tree.operands[1]);
  if (tree.is_product()) return of_product(tree.op, std::move(first), std::move(second));
  if (tree.is_sum()) return of_sum(tree.op, std::move(first), std::move(second));
  if (!tree.is(Op::Pow)) return {joined(tree.op, std::move(first.tree), std::move(second.tree))};
  return of_power(std::move(first), second.tree);
}

// The f of a tree that reads -f because it is, or begins with, a negative number; nothing for all others.
std::optional<Tree> opposite_of(const Tree& tree) {
  if (tree.is_constant() && tree.value < 0.0) return constant_like(tree, -tree.value);
  if (!tree.is_product()) return {};
  std::optional<Tree> opposite = opposite_of(tree.operands[0]);
  if (!opposite) return {};
  if (tree.is(Op::Mul) && opposite->is_known(1.0)) return tree.operands[1];
  return joined(tree.op, std::move(*opposite), tree.operands[1]);
}

// The f of a tree -f whose minus is an operator or a fixed leading factor; nothing for all others.
std::optional<Tree> without_minus(const Tree& tree) {
  if (tree.is(Op::Neg)) return tree.operands[0];
  if (tree.is(Op::Mul) && tree.operands[0].is_known(-1.0)) return tree.operands[1];
  if (!tree.is_product()) return {};
  std::optional<Tree> first = without_minus(tree.operands[0]);
  if (!first) return {};
  return joined(tree.op, std::move(*first), tree.operands[1]);
}

}  // namespace

Tree with_outer_signs(const Tree& tree) { return read(tree).tree; }

Tree with_differences(const Tree& given) {
  Tree tree = with_operands(given, with_differences);
  if (!tree.is_sum()) return tree;
  const Tree &left = tree.operands[0], &right = tree.operands[1];
  if (std::optional<Tree> opposite = opposite_of(right))
    return joined(tree.is(Op::Add) ? Op::Sub : Op::Add, left, std::move(*opposite));
  if (!tree.is(Op::Add)) return tree;
  if (std::optional<Tree> opposite = opposite_of(left)) return joined(Op::Sub, right, std::move(*opposite));
  return tree;
}

Tree with_turned_differences(const Tree& given) {
  Tree tree = with_operands(given, with_turned_differences);
  const std::optional<Tree> opposite = without_minus(tree);
  return opposite ? flipped(*opposite).value_or(tree) : tree;
}

}  // namespace ddsr

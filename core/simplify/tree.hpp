// Expressions as trees in which some constants are fixed, so that fitting does not change them.
//
// The rules of notation (notation.hpp) rewrite such trees. Unlike normal forms (forms.hpp), they keep the
// order of operands and the place of each constant as far as possible.
#pragma once

#include <optional>
#include <vector>

#include "expression/formula.hpp"

namespace ddsr {

// An expression in prefix order with flags for its fixed constants.
struct FlaggedFormula {
  Formula formula;
  std::vector<bool> is_fixed;  // for each constant
};

struct Tree {
  Kind kind = Kind::One;
  Op op = Op::Add;        // of an operator
  double value = 1.0;     // of a constant
  bool is_fixed = false;  // of a constant
  int variable = -1;      // the column of a variable
  std::vector<Tree> operands;

  bool operator==(const Tree&) const = default;

  bool is(Op other) const { return kind == Kind::Operator && op == other; }
  bool is_operator() const { return kind == Kind::Operator; }
  bool is_constant() const { return kind == Kind::Constant; }
  bool is_variable() const { return kind == Kind::Variable; }
  bool is_number() const { return kind == Kind::Constant || kind == Kind::One; }
  bool is_product() const { return is(Op::Mul) || is(Op::Div); }
  bool is_sum() const { return is(Op::Add) || is(Op::Sub); }
  bool is_known() const { return is_constant() && is_fixed; }
  bool is_known(double number) const { return is_known() && value == number; }
};

inline Tree known(double value) { return {Kind::Constant, Op::Add, value, true, -1, {}}; }
inline Tree fitted(double value) { return {Kind::Constant, Op::Add, value, false, -1, {}}; }
// A constant that is fixed if the given one is.
inline Tree constant_like(const Tree& constant, double value) {
  return {Kind::Constant, Op::Add, value, constant.is_fixed, -1, {}};
}
Tree applied(Op op, Tree operand);
Tree joined(Op op, Tree left, Tree right);

// The tree with a function applied to each of its operands.
template <typename Function>
Tree with_operands(const Tree& tree, Function&& function) {
  Tree result{tree.kind, tree.op, tree.value, tree.is_fixed, tree.variable, {}};
  result.operands.reserve(tree.operands.size());
  for (const Tree& operand : tree.operands) result.operands.push_back(function(operand));
  return result;
}

// The c and f of c * f or f * c with a nonzero constant c; for all other trees 1 and the tree itself.
struct Factored {
  double factor;
  Tree rest;
};
Factored split_factor(const Tree& tree);

// The f of 1 * f and f * 1 with a fixed 1; for all other trees the tree itself.
Tree without_unit_factor(Tree tree);

// Returns nothing if the tree is nested too deeply for the stack.
std::optional<Tree> tree_of(const Vocabulary& vocabulary, const FlaggedFormula& given);
// Returns nothing if the vocabulary cannot write it, a constant is not finite or the result is too long.
std::optional<FlaggedFormula> written(const Vocabulary& vocabulary, const Tree& tree);

}  // namespace ddsr

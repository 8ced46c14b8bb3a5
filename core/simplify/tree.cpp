#include "simplify/tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "expression/tree.hpp"

namespace ddsr {

namespace {

constexpr int DEEPEST = 250;  // deeper trees would need more stack than some threads have

int depth_of(const Vocabulary& vocabulary, const std::vector<TokenId>& prefix) {
  std::vector<int> open;  // for each operator on the way down, the number of operands still to come
  int deepest = 0;
  for (const TokenId id : prefix) {
    open.push_back(vocabulary.arity(id));
    deepest = std::max(deepest, static_cast<int>(open.size()));
    while (!open.empty() && open.back() == 0) {
      open.pop_back();
      if (!open.empty()) --open.back();
    }
  }
  return deepest;
}

class Reader {
 public:
  Reader(const Vocabulary& vocabulary, const FlaggedFormula& given)
      : vocabulary_(vocabulary), given_(given) {}

  Tree read() {
    const Token& token = vocabulary_[given_.formula.tokens[n_tokens_++]];
    Tree tree{token.kind, token.op, 1.0, false, -1, {}};
    if (token.kind == Kind::Variable) tree.variable = token.variable;
    if (token.kind == Kind::Constant) {
      tree.value = given_.formula.constants[n_constants_];
      tree.is_fixed = given_.is_fixed[n_constants_++];
    }
    // leaves are equal whatever operator their token has
    if (token.kind != Kind::Operator) tree.op = Op::Add;
    for (int i = 0; i < token.arity; ++i) tree.operands.push_back(read());
    return tree;
  }

 private:
  const Vocabulary& vocabulary_;
  const FlaggedFormula& given_;
  std::size_t n_tokens_ = 0, n_constants_ = 0;
};

TokenId token_of(const Vocabulary& vocabulary, const Tree& tree) {
  switch (tree.kind) {
    case Kind::Operator:
      return vocabulary.find(tree.op);
    case Kind::One:
      return vocabulary.one();
    case Kind::Constant:
      return std::isfinite(tree.value) ? vocabulary.constant() : TokenId{-1};
    case Kind::Variable:
      return static_cast<TokenId>(vocabulary.first_variable() + tree.variable);
  }
  return -1;
}

bool write(const Vocabulary& vocabulary, const Tree& tree, FlaggedFormula& result) {
  const TokenId token = token_of(vocabulary, tree);
  if (token < 0 || result.formula.tokens.size() >= LONGEST) return false;
  result.formula.tokens.push_back(token);
  if (tree.is_constant()) {
    result.formula.constants.push_back(tree.value);
    result.is_fixed.push_back(tree.is_fixed);
  }
  return std::ranges::all_of(tree.operands,
                             [&](const Tree& operand) { return write(vocabulary, operand, result); });
}

}  // namespace

Tree applied(Op op, Tree operand) {
  Tree tree{Kind::Operator, op, 1.0, false, -1, {}};
  tree.operands.push_back(std::move(operand));
  return tree;
}

Tree joined(Op op, Tree left, Tree right) {
  Tree tree = applied(op, std::move(left));
  tree.operands.push_back(std::move(right));
  return tree;
}

Factored split_factor(const Tree& tree) {
  if (tree.is(Op::Mul))
    for (const std::size_t place : {0u, 1u}) {
      const Tree& factor = tree.operands[place];
      if (factor.is_constant() && factor.value != 0.0) return {factor.value, tree.operands[1 - place]};
    }
  return {1.0, tree};
}

Tree without_unit_factor(Tree tree) {
  if (tree.is(Op::Mul))
    for (const std::size_t place : {0u, 1u})
      if (tree.operands[place].is_known(1.0)) return Tree(tree.operands[1 - place]);
  return tree;
}

std::optional<Tree> tree_of(const Vocabulary& vocabulary, const FlaggedFormula& given) {
  if (depth_of(vocabulary, given.formula.tokens) > DEEPEST) return {};
  return Reader(vocabulary, given).read();
}

std::optional<FlaggedFormula> written(const Vocabulary& vocabulary, const Tree& tree) {
  FlaggedFormula result;
  if (!write(vocabulary, tree, result)) return {};
  return result;
}

}  // namespace ddsr

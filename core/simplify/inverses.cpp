#include "simplify/inverses.hpp"

#include <algorithm>
#include <utility>

#include "simplify/tree.hpp"

namespace ddsr {

namespace {

// The cost of a function of an angle or its inverse, beside its token. It makes roots preferable.
constexpr int TOKENS_OF_FUNCTION = 2;

bool is_inverse_of_periodic(Op op) {
  return std::ranges::any_of(
      OPERATORS, [op](const Operator& row) { return row.is_periodic() && row.undoes == row_of(op).name; });
}

bool is_of_angles(const Token& token) {
  return token.kind == Kind::Operator && (row_of(token.op).is_periodic() || is_inverse_of_periodic(token.op));
}

int cost_of_reading(const Vocabulary& vocabulary, const Formula& formula) {
  const auto n_functions =
      std::ranges::count_if(formula.tokens, [&](TokenId id) { return is_of_angles(vocabulary[id]); });
  return static_cast<int>(formula.tokens.size()) + TOKENS_OF_FUNCTION * static_cast<int>(n_functions);
}

Tree square(const Tree& tree) { return tree.kind == Kind::One ? tree : joined(Op::Mul, tree, tree); }

class Roots {
 public:
  explicit Roots(const std::vector<Sign>& signs) : signs_(signs) {}

  Tree rewritten(const Tree& given) const {
    Tree tree = with_operands(given, [&](const Tree& operand) { return rewritten(operand); });
    const bool is_sin = tree.is(Op::Sin);
    if (!is_sin && !tree.is(Op::Cos)) return tree;
    const Tree& inner = tree.operands[0];
    if (inner.is(is_sin ? Op::Acos : Op::Asin))
      return applied(Op::Sqrt, joined(Op::Sub, Tree{}, square(inner.operands[0])));
    if (!inner.is(Op::Atan)) return tree;
    auto [opposite, adjacent] = sides(inner.operands[0]);
    Tree hypotenuse = applied(Op::Sqrt, joined(Op::Add, square(adjacent), square(opposite)));
    return joined(Op::Div, std::move(is_sin ? opposite : adjacent), std::move(hypotenuse));
  }

 private:
  // The p and q of a tangent p / q with a positive variable q; for all others the tangent itself and 1.
  std::pair<Tree, Tree> sides(const Tree& tangent) const {
    if (tangent.is(Op::Div) && tangent.operands[1].is_variable()) {
      const auto column = static_cast<std::size_t>(tangent.operands[1].variable);
      if (signs_[column] == Sign::Positive) return {tangent.operands[0], tangent.operands[1]};
    }
    return {tangent, Tree{}};
  }

  const std::vector<Sign>& signs_;
};

}  // namespace

Formula with_roots(const Vocabulary& vocabulary, const std::vector<Sign>& signs, const Formula& formula) {
  const bool has_inverses = std::ranges::any_of(formula.tokens, [&](TokenId id) {
    return vocabulary[id].kind == Kind::Operator && is_inverse_of_periodic(vocabulary[id].op);
  });
  if (!has_inverses) return formula;
  const std::optional<Tree> tree =
      tree_of(vocabulary, {formula, std::vector<bool>(formula.constants.size())});
  if (!tree) return formula;
  const Tree other = Roots(signs).rewritten(*tree);
  if (other == *tree) return formula;
  const std::optional<FlaggedFormula> longer = written(vocabulary, other);
  if (!longer) return formula;
  Formula simple = Simplifier(vocabulary, signs).simplify(longer->formula);
  const bool is_better = cost_of_reading(vocabulary, simple) <= cost_of_reading(vocabulary, formula);
  return is_better ? simple : formula;
}

}  // namespace ddsr

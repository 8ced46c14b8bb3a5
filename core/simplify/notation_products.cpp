// Notation of products and sums: fraction bars, squares, the order of parts, and fractions.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "simplify/notation.hpp"

namespace ddsr {

namespace {

// Denominators up to 8 whose fractions are not finite decimals.
constexpr int ENDLESS[] = {3, 6, 7};
constexpr double LARGEST_NUMERATOR = 100.0;

struct Ratio {
  double above, below;
};

// The fraction that equals a fixed constant to the last bit, if no finite decimal does.
std::optional<Ratio> ratio_of(const Tree& tree) {
  if (!tree.is_known() || !(std::abs(tree.value) < LARGEST_NUMERATOR)) return {};
  for (const int below : ENDLESS) {
    const double above = std::nearbyint(tree.value * below);
    if (std::gcd(static_cast<int>(above), below) == 1 && above / below == tree.value)
      return Ratio{above, static_cast<double>(below)};
  }
  return {};
}

Tree as_division(const Tree& tree) {
  const std::optional<Ratio> ratio = ratio_of(tree);
  return ratio ? joined(Op::Div, known(ratio->above), known(ratio->below)) : tree;
}

// Collects the operands of a chain of one operator.
void collect_parts(Op op, const Tree& tree, std::vector<Tree>& parts) {
  if (!tree.is(op)) {
    parts.push_back(in_order(tree));
    return;
  }
  for (const Tree& operand : tree.operands) collect_parts(op, operand, parts);
}

std::pair<int, int> place_of(const Tree& factor) {
  if (factor.is_number()) return {0, 0};
  if (factor.is_variable()) return {1, factor.variable};
  const bool is_power = factor.is(Op::Pow) && factor.operands[0].is_variable();
  return is_power ? std::pair(2, factor.operands[0].variable) : std::pair(3, 0);
}

// Sorts the variables by column; everything else keeps its place.
void sort_variables(std::vector<Tree>& summands) {
  std::vector<int> columns;
  for (const Tree& summand : summands)
    if (summand.is_variable()) columns.push_back(summand.variable);
  std::ranges::sort(columns);
  auto next = columns.begin();
  for (Tree& summand : summands)
    if (summand.is_variable()) summand.variable = *next++;
}

}  // namespace

Tree without_unit_factors(const Tree& given) {
  return without_unit_factor(with_operands(given, without_unit_factors));
}

Tree with_upright_roots(const Tree& given) {
  Tree tree = with_operands(given, with_upright_roots);
  if (!tree.is(Op::Div) || !tree.operands[1].is(Op::Sqrt) || !tree.operands[1].operands[0].is(Op::Div))
    return tree;
  const Tree &left = tree.operands[0], &ratio = tree.operands[1].operands[0];
  Tree root = applied(Op::Sqrt, joined(Op::Div, ratio.operands[1], ratio.operands[0]));
  const bool is_alone = left.kind == Kind::One || left.is_known(1.0);
  return is_alone ? root : joined(Op::Mul, left, std::move(root));
}

Tree with_one_bar(const Tree& given) {
  Tree tree = with_operands(given, with_one_bar);
  if (!tree.is(Op::Mul)) return tree;
  for (const std::size_t place : {1u, 0u}) {
    const Tree &bar = tree.operands[place], &factor = tree.operands[1 - place];
    if (!bar.is(Op::Div)) continue;
    const Tree &above = bar.operands[0], &below = bar.operands[1];
    Tree product = above.kind == Kind::One ? factor : joined(Op::Mul, factor, above);
    return joined(Op::Div, with_one_bar(product), below);
  }
  return tree;
}

Tree with_squares(const Tree& given) {
  Tree tree = with_operands(given, with_squares);
  if (tree.operands.size() != 2) return tree;
  const Tree &left = tree.operands[0], &right = tree.operands[1];
  if (tree.is(Op::Add) && left == right) return joined(Op::Mul, known(2.0), left);
  if (!tree.is(Op::Mul) || !right.is_variable()) return tree;
  Tree square = joined(Op::Pow, right, known(2.0));
  if (left == right) return square;
  if (left.is(Op::Mul) && left.operands[1] == right)
    return joined(Op::Mul, left.operands[0], std::move(square));
  return tree;
}

Tree in_order(const Tree& tree) {
  if (!tree.is(Op::Mul) && !tree.is(Op::Add)) return with_operands(tree, in_order);
  std::vector<Tree> parts;
  collect_parts(tree.op, tree, parts);
  if (tree.is(Op::Mul))
    std::ranges::stable_sort(parts, {}, place_of);
  else
    sort_variables(parts);
  Tree whole = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i)
    whole = joined(tree.op, std::move(whole), std::move(parts[i]));
  return whole;
}

Tree with_fractions(const Tree& given) {
  if (!given.is_operator()) return as_division(given);
  Tree tree = with_operands(
      given, [](const Tree& operand) { return ratio_of(operand) ? operand : with_fractions(operand); });
  if (tree.is(Op::Mul))
    for (const std::size_t place : {0u, 1u}) {
      const std::optional<Ratio> ratio = ratio_of(tree.operands[place]);
      if (!ratio) continue;
      const Tree& other = tree.operands[1 - place];
      Tree above = ratio->above == 1.0 ? other : joined(Op::Mul, known(ratio->above), other);
      return joined(Op::Div, std::move(above), known(ratio->below));
    }
  return with_operands(tree, as_division);
}

}  // namespace ddsr

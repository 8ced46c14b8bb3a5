#include "simplify/notation.hpp"

#include <iterator>
#include <utility>

namespace ddsr {

namespace {

static_assert(std::size(NOTATION_RULES) == static_cast<std::size_t>(NotationRule::Fractions) + 1);

Tree applied_once(const Tree& tree, NotationRule rule, const IsExact& is_exact) {
  switch (rule) {
    case NotationRule::SimpleBases:
      return with_simple_bases(tree);
    case NotationRule::Exponentials:
      return with_exponentials(tree);
    case NotationRule::Powers:
      return with_powers(tree);
    case NotationRule::Complements:
      return with_complements(tree);
    case NotationRule::UnitFactors:
      return without_unit_factors(tree);
    case NotationRule::UprightRoots:
      return with_upright_roots(tree);
    case NotationRule::OneBar:
      return with_one_bar(tree);
    case NotationRule::ClearedDenominators:
      return with_cleared_denominators(tree);
    case NotationRule::Squares:
      return with_squares(tree);
    case NotationRule::OuterSigns:
      return with_outer_signs(tree);
    case NotationRule::PhasesInHalfATurn:
      return with_small_phases(tree, 0.5, is_exact);
    case NotationRule::PhasesInATurn:
      return with_small_phases(tree, 1.0, is_exact);
    case NotationRule::Differences:
      return with_differences(tree);
    case NotationRule::TurnedDifferences:
      return with_turned_differences(tree);
    case NotationRule::Order:
      return in_order(tree);
    case NotationRule::Fractions:
      return with_fractions(tree);
  }
  return tree;
}

}  // namespace

std::optional<FlaggedFormula> rewritten(const Vocabulary& vocabulary, const FlaggedFormula& given,
                                        std::span<const NotationRule> rules, const IsAllowed& is_allowed,
                                        const IsExact& is_exact) {
  std::optional<Tree> tree = tree_of(vocabulary, given);
  std::optional<FlaggedFormula> best;
  if (!tree) return best;
  for (const NotationRule rule : rules) {
    Tree next = applied_once(*tree, rule, is_exact);
    if (next == *tree) continue;
    std::optional<FlaggedFormula> formula = written(vocabulary, next);
    if (!formula || (is_allowed && !is_allowed(*formula))) continue;
    tree = std::move(next), best = std::move(formula);
  }
  return best;
}

}  // namespace ddsr

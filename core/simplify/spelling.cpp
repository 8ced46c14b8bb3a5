#include "simplify/spelling.hpp"

#include <iterator>
#include <utility>

namespace ddsr {

namespace {

static_assert(std::size(SPELLINGS) == static_cast<std::size_t>(Spelling::Fractions) + 1);

Tree spelled_once(const Tree& tree, Spelling spelling, const IsExact& is_exact) {
  switch (spelling) {
    case Spelling::SimpleBases:
      return with_simple_bases(tree);
    case Spelling::Exponentials:
      return with_exponentials(tree);
    case Spelling::Powers:
      return with_powers(tree);
    case Spelling::Complements:
      return with_complements(tree);
    case Spelling::UnitFactors:
      return without_unit_factors(tree);
    case Spelling::UprightRoots:
      return with_upright_roots(tree);
    case Spelling::OneBar:
      return with_one_bar(tree);
    case Spelling::ClearedDenominators:
      return with_cleared_denominators(tree);
    case Spelling::Squares:
      return with_squares(tree);
    case Spelling::OuterSigns:
      return with_outer_signs(tree);
    case Spelling::PhasesInHalfATurn:
      return with_small_phases(tree, 0.5, is_exact);
    case Spelling::PhasesInATurn:
      return with_small_phases(tree, 1.0, is_exact);
    case Spelling::Differences:
      return with_differences(tree);
    case Spelling::TurnedDifferences:
      return with_turned_differences(tree);
    case Spelling::Order:
      return in_order(tree);
    case Spelling::Fractions:
      return with_fractions(tree);
  }
  return tree;
}

}  // namespace

std::optional<SettledFormula> spelled(const Vocabulary& vocabulary, const SettledFormula& given,
                                      std::span<const Spelling> spellings, const IsAllowed& is_allowed,
                                      const IsExact& is_exact) {
  std::optional<Tree> tree = tree_of(vocabulary, given);
  std::optional<SettledFormula> best;
  if (!tree) return best;
  for (const Spelling spelling : spellings) {
    Tree next = spelled_once(*tree, spelling, is_exact);
    if (next == *tree) continue;
    std::optional<SettledFormula> formula = written(vocabulary, next);
    if (!formula || (is_allowed && !is_allowed(*formula))) continue;
    tree = std::move(next), best = std::move(formula);
  }
  return best;
}

}  // namespace ddsr

#include "examples/drawn_formula.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "examples/composer.hpp"
#include "examples/numbers.hpp"
#include "examples/random_tree.hpp"

namespace ddsr {

namespace {

// Distribution of the number of variables: one, two, and so on.
constexpr std::array VARIABLE_WEIGHTS{0.13, 0.20, 0.20, 0.17, 0.12, 0.08, 0.04, 0.03, 0.02, 0.01};
// Probability of repeating a variable once more. Formulas of few variables repeat them more often.
constexpr std::array REPEAT_RATES{0.66, 0.5, 0.4, 0.35, 0.3};
constexpr int MOST_LEAVES = 14;

int draw_n_variables(const ExampleOptions& options, RandomSource& random) {
  const auto n =
      std::min<std::size_t>(VARIABLE_WEIGHTS.size(), static_cast<std::size_t>(options.max_variables));
  return 1 + draw_weighted(random,
                           std::vector<double>(VARIABLE_WEIGHTS.begin(),
                                               VARIABLE_WEIGHTS.begin() + static_cast<std::ptrdiff_t>(n)));
}

std::vector<int> draw_leaves(int n_variables, RandomSource& random) {
  std::vector<int> leaves(static_cast<std::size_t>(n_variables));
  std::iota(leaves.begin(), leaves.end(), 0);
  const double rate =
      REPEAT_RATES[static_cast<std::size_t>(std::min<int>(n_variables, REPEAT_RATES.size()) - 1)];
  while (static_cast<int>(leaves.size()) < MOST_LEAVES && random.chance(rate))
    leaves.push_back(random.below(n_variables));
  for (std::size_t i = leaves.size(); i > 1; --i)
    std::swap(leaves[i - 1], leaves[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  return leaves;
}

}  // namespace

std::optional<Formula> draw_formula(const Vocabulary& vocabulary, const ExampleOptions& options,
                                    RandomSource& random) {
  Draft draft(vocabulary);
  const int n_variables = draw_n_variables(options, random);
  if (random.chance(options.unstructured_share))
    put_random_tree(draft, random, random.between(2 * n_variables - 1, std::max(3 * n_variables + 6, 2)),
                    n_variables);
  else
    Composer(draft, random).compose(draw_leaves(n_variables, random));
  if (!draft.is_written()) return {};
  return draft.formula();
}

}  // namespace ddsr

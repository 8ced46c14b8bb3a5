#include "expression/formula.hpp"

#include <algorithm>
#include <cstddef>

#include "expression/tree.hpp"

namespace ddsr {

namespace {

// order[k] is the old index of the token at the new index k.
Formula reordered(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                  std::span<const double> constants, const std::vector<int>& order) {
  std::vector<double> value_at(tokens.size());
  for (std::size_t i = 0, n = 0; i < tokens.size(); ++i)
    if (vocabulary.is_constant(tokens[i])) value_at[i] = constants[n++];
  Formula result;
  result.tokens.reserve(tokens.size());
  result.constants.reserve(constants.size());
  for (const int old : order) {
    const auto place = static_cast<std::size_t>(old);
    result.tokens.push_back(tokens[place]);
    if (vocabulary.is_constant(tokens[place])) result.constants.push_back(value_at[place]);
  }
  return result;
}

}  // namespace

int subtree_end(const Vocabulary& vocabulary, std::span<const TokenId> prefix, int begin) {
  int end = begin;
  for (int open = 1; open > 0; ++end) open += vocabulary.arity(prefix[static_cast<std::size_t>(end)]) - 1;
  return end;
}

int constants_before(const Vocabulary& vocabulary, std::span<const TokenId> prefix, int end) {
  return static_cast<int>(std::count_if(prefix.begin(), prefix.begin() + end,
                                        [&](TokenId id) { return vocabulary.is_constant(id); }));
}

Formula formula_from_breadth_first(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                                   std::span<const double> constants) {
  return reordered(vocabulary, tokens, constants, prefix_from_breadth_first(vocabulary, tokens));
}

Formula breadth_first_of(const Vocabulary& vocabulary, const Formula& formula) {
  return reordered(vocabulary, formula.tokens, formula.constants,
                   breadth_first_from_prefix(vocabulary, formula.tokens));
}

}  // namespace ddsr

#include "grammar/nesting.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace ddsr {

namespace {

constexpr std::size_t MAX_CONTEXTS = 1 << 16;

struct RuleSets {
  TokenSets outer, inner;
  RuleSets(const Vocabulary& vocabulary, const std::vector<NestingRule>& rules)
      : outer(vocabulary.size(), static_cast<int>(rules.size())),
        inner(vocabulary.size(), static_cast<int>(rules.size())) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
      for (TokenId id : rules[r].outer) add(outer[static_cast<int>(r)], id);
      for (TokenId id : rules[r].inner) add(inner[static_cast<int>(r)], id);
    }
  }
};

std::vector<Word> not_forbidden(const Vocabulary& vocabulary, const std::vector<NestingRule>& rules,
                                const RuleSets& sets, const std::vector<int>& counts) {
  std::vector<Word> allowed(static_cast<std::size_t>(words_for(vocabulary.size())));
  for (int id = 0; id < vocabulary.size(); ++id) add(allowed.data(), static_cast<TokenId>(id));
  for (std::size_t r = 0; r < rules.size(); ++r)
    if (counts[r] == rules[r].at_most)
      for (std::size_t w = 0; w < allowed.size(); ++w) allowed[w] &= ~sets.inner[static_cast<int>(r)][w];
  return allowed;
}

std::vector<int> counts_below(const RuleSets& sets, std::vector<int> counts, TokenId op) {
  for (int r = 0; r < static_cast<int>(counts.size()); ++r) {
    int& count = counts[static_cast<std::size_t>(r)];
    if (count >= 0)
      count += has(sets.inner[r], op);
    else if (has(sets.outer[r], op))
      count = 0;
  }
  return counts;
}

bool holds_free_leaf(const Vocabulary& vocabulary, const std::vector<Word>& set) {
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.is_free_leaf(id) && has(set.data(), id)) return true;
  return false;
}

}  // namespace

NestingContexts::NestingContexts(const Vocabulary& vocabulary, const std::vector<NestingRule>& rules)
    : n_operators_(vocabulary.n_operators()), allowed_(vocabulary.size()) {
  const RuleSets sets(vocabulary, rules);
  counts_.emplace_back(rules.size(), -1);
  std::map<std::vector<int>, std::uint16_t> ids{{counts_[0], ROOT}};
  for (std::size_t context = 0; context < counts_.size(); ++context) {
    const std::vector<int> counts = counts_[context];
    std::vector<Word> allowed = not_forbidden(vocabulary, rules, sets, counts);
    for (TokenId op = 0; op < n_operators_; ++op) {
      below_.push_back(ROOT);
      if (!has(allowed.data(), op)) continue;
      const std::vector<int> under = counts_below(sets, counts, op);
      if (!holds_free_leaf(vocabulary, not_forbidden(vocabulary, rules, sets, under))) {
        remove(allowed.data(), op);
        continue;
      }
      const auto [entry, is_new] = ids.try_emplace(under, static_cast<std::uint16_t>(counts_.size()));
      if (is_new && counts_.size() == MAX_CONTEXTS)
        throw std::invalid_argument("the nesting rules combine to more than 65536 cases: use fewer of them");
      if (is_new) counts_.push_back(under);
      below_.back() = entry->second;
    }
    below_.push_back(ROOT);
    allowed_.push_back(allowed);
  }
}

}  // namespace ddsr

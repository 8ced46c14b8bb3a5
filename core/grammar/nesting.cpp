#include "grammar/nesting.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

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

// The hole of a slot: one of the template, or one of these.
constexpr int NO_HOLE = -1, AROUND_HOLES = -2;

// The tokens that belong into a hole, whatever the rules are.
std::vector<Word> tokens_of_hole(const Vocabulary& vocabulary, int hole) {
  std::vector<Word> tokens(static_cast<std::size_t>(words_for(vocabulary.size())));
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.is_template(id) == (hole == AROUND_HOLES)) add(tokens.data(), id);
  if (hole < 0) return tokens;
  const Template::Hole& its = vocabulary.pattern()->holes[static_cast<std::size_t>(hole)];
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const bool is_input = vocabulary[id].kind == Kind::Variable &&
                          std::ranges::find(its.inputs, vocabulary[id].variable) != its.inputs.end();
    const bool is_foreign = vocabulary[id].kind == Kind::Variable && !is_input;
    if (its.is_constant ? !vocabulary.is_constant(id) : is_foreign) remove(tokens.data(), id);
  }
  return tokens;
}

std::vector<Word> not_forbidden(const Vocabulary& vocabulary, const std::vector<NestingRule>& rules,
                                const RuleSets& sets, int hole, const std::vector<int>& counts) {
  std::vector<Word> allowed = tokens_of_hole(vocabulary, hole);
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
  std::vector<int> holes;  // of the contexts
  std::map<std::pair<int, std::vector<int>>, std::uint16_t> ids;
  auto context_of = [&](int hole, const std::vector<int>& counts) {
    const auto [entry, is_new] = ids.try_emplace({hole, counts}, static_cast<std::uint16_t>(counts_.size()));
    if (is_new && counts_.size() == MAX_CONTEXTS)
      throw std::invalid_argument("the nesting rules combine to more than 65536 cases: use fewer of them");
    if (is_new) counts_.push_back(counts), holes.push_back(hole);
    return entry->second;
  };
  const std::vector<int> at_first(rules.size(), -1);
  const Template* pattern = vocabulary.pattern();
  context_of(pattern == nullptr ? NO_HOLE : AROUND_HOLES, at_first);  // ROOT
  for (int hole = 0; pattern != nullptr && hole < static_cast<int>(pattern->holes.size()); ++hole)
    in_hole_.push_back(context_of(hole, at_first));
  for (std::size_t context = 0; context < counts_.size(); ++context) {
    const std::vector<int> counts = counts_[context];
    const int hole = holes[context];
    std::vector<Word> allowed = not_forbidden(vocabulary, rules, sets, hole, counts);
    for (TokenId op = 0; op < n_operators_; ++op) {
      below_.push_back(ROOT);
      if (!has(allowed.data(), op) || vocabulary.is_template(op)) continue;
      const std::vector<int> under = counts_below(sets, counts, op);
      if (!holds_free_leaf(vocabulary, not_forbidden(vocabulary, rules, sets, hole, under))) {
        remove(allowed.data(), op);
        continue;
      }
      below_.back() = context_of(hole, under);
    }
    below_.push_back(ROOT);
    allowed_.push_back(allowed);
  }
}

}  // namespace ddsr

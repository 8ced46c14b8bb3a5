#include "grammar/completion.hpp"

#include "grammar/matching.hpp"

namespace ddsr {

namespace {

class Completion {
 public:
  Completion(const Grammar& grammar, const PartialTree& tree) : grammar_(grammar), tree_(tree) {
    for (TokenId id : grammar.rules.required)
      if (tree.count(id) == 0) missing_.push_back(id);
  }

  bool exists() const {
    if (tree_.n_open() == 0) return missing_.empty();
    return missing_have_uses() && missing_find_slots() && slots_can_be_closed();
  }

 private:
  int first_open() const { return tree_.length(); }
  int end_of_open() const { return tree_.length() + tree_.n_open(); }

  bool takes_free_leaves_only(int slot) const {
    const Slot::Place place = tree_.slot(slot).place;
    if (place == Slot::Place::Second) return tree_.follows_constant(slot);
    return place != Slot::Place::Hole;  // the first of two open operands counts as one
  }

  bool is_allowed(int slot, TokenId leaf) const {
    return has(grammar_.contexts.allowed(tree_.slot(slot).context), leaf);
  }

  // Whether a slot can be closed with one of `leaves`.
  bool accepts(int slot, const Word* leaves) const {
    const Word* allowed = grammar_.contexts.allowed(tree_.slot(slot).context);
    const Word* fitting = grammar_.of_arity_at_most(0);
    const bool is_free_only = takes_free_leaves_only(slot);
    for (int w = 0; w < grammar_.n_words(); ++w) {
      const Word common = allowed[w] & fitting[w] & leaves[w];
      if (is_free_only ? common & grammar_.free_leaves()[w] : common) return true;
    }
    return false;
  }

  // Uses of a rule beyond those reserved for missing variables.
  int spare_uses(int rule) const {
    int spare = tree_.uses_left(rule);
    for (TokenId id : missing_) spare -= has(grammar_.tokens_of_use(rule), id);
    return spare;
  }

  bool missing_have_uses() const {
    for (TokenId id : missing_)
      for (int rule : grammar_.uses_of(id))
        if (spare_uses(rule) < 0) return false;
    return true;
  }

  bool missing_find_slots() const {
    if (missing_.empty()) return true;
    for (TokenId id : missing_) {
      int slot = first_open();
      while (slot < end_of_open() && !is_allowed(slot, id)) ++slot;
      if (slot == end_of_open()) return false;
    }
    const int beyond = tree_.room() / 2;
    return static_cast<int>(missing_.size()) <= beyond ||
           most_missing_in_slots() + beyond >= static_cast<int>(missing_.size());
  }

  int most_missing_in_slots() const {
    std::vector<std::vector<int>> slots_of;
    for (TokenId id : missing_) {
      slots_of.emplace_back();
      for (int slot = first_open(); slot < end_of_open(); ++slot)
        if (is_allowed(slot, id)) slots_of.back().push_back(slot - first_open());
    }
    return Matching(slots_of, std::vector<int>(static_cast<std::size_t>(tree_.n_open()), 1)).size();
  }

  bool slots_can_be_closed() const {
    if (tree_.n_scarce() == 0) return true;
    std::vector<int> scarce;  // slots that only limited leaves can close
    for (int slot = first_open(); slot < end_of_open(); ++slot)
      if (!accepts(slot, grammar_.unlimited_leaves())) scarce.push_back(slot);
    if (scarce.empty()) return true;

    const int n_rules = static_cast<int>(grammar_.rules.uses.size());
    std::vector<int> supply;  // the spare uses of each rule, then one use for each missing variable
    for (int rule = 0; rule < n_rules; ++rule) supply.push_back(spare_uses(rule));
    supply.resize(supply.size() + missing_.size(), 1);

    std::vector<std::vector<int>> sources;
    for (int slot : scarce) {
      sources.emplace_back();
      for (int rule = 0; rule < n_rules; ++rule)
        if (accepts(slot, grammar_.tokens_of_use(rule))) sources.back().push_back(rule);
      for (std::size_t q = 0; q < missing_.size(); ++q)
        if (is_allowed(slot, missing_[q])) sources.back().push_back(n_rules + static_cast<int>(q));
    }
    return Matching(sources, supply).size() == static_cast<int>(scarce.size());
  }

  const Grammar& grammar_;
  const PartialTree& tree_;
  std::vector<TokenId> missing_;
};

// Finds most completions without a matching: every slot can take an unlimited free leaf, and enough slots can
// take any of the missing variables.
bool is_easily_completed(const Grammar& grammar, const PartialTree& tree) {
  if (tree.n_scarce() > 0) return false;
  int to_place = tree.n_missing();
  const int beyond = tree.room() / 2;
  bool has_slot = to_place == 0;
  for (int slot = tree.length(); slot < tree.length() + tree.n_open() && !(has_slot && to_place <= beyond);
       ++slot)
    if (grammar.takes_all_required(tree.slot(slot).context)) {
      has_slot = true;
      --to_place;
    }
  return has_slot && to_place <= beyond;
}

}  // namespace

bool can_be_completed(const Grammar& grammar, const PartialTree& tree) {
  return is_easily_completed(grammar, tree) || Completion(grammar, tree).exists();
}

}  // namespace ddsr

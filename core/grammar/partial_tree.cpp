#include "grammar/partial_tree.hpp"

#include <algorithm>

#include "grammar/completion.hpp"

namespace ddsr {

PartialTree::PartialTree(const Grammar& grammar)
    : grammar_(grammar),
      tokens_(static_cast<std::size_t>(grammar.rules.max_length)),
      slots_(static_cast<std::size_t>(grammar.rules.max_length)),
      uses_left_(grammar.rules.uses.size()),
      counts_(static_cast<std::size_t>(grammar.vocabulary.size())),
      is_dead_end_(static_cast<std::size_t>(grammar.vocabulary.size()) + grammar.rules.uses.size() + 1),
      legal_(static_cast<std::size_t>(grammar.n_words())) {
  clear();
}

void PartialTree::clear() {
  length_ = 0;
  n_open_ = 1;
  slots_[0] = {NestingContexts::ROOT, PAD, Slot::Place::Single};
  for (std::size_t r = 0; r < uses_left_.size(); ++r) uses_left_[r] = grammar_.rules.uses[r].at_most;
  if (!grammar_.needs_lookahead()) return;
  std::fill(counts_.begin(), counts_.end(), 0);
  n_missing_ = static_cast<int>(grammar_.rules.required.size());
  n_scarce_ = grammar_.is_scarce(NestingContexts::ROOT);
}

const Word* PartialTree::legal() {
  const Slot& here = slot(length_);
  const Word* allowed = grammar_.contexts.allowed(here.context);
  const Word* below = grammar_.directly_below(here.parent);
  const Word* fitting = grammar_.of_arity_at_most(std::min(room(), 2));
  const int n_words = grammar_.n_words();
  for (int w = 0; w < n_words; ++w) legal_[static_cast<std::size_t>(w)] = allowed[w] & below[w] & fitting[w];
  auto forbid = [&](const Word* tokens) {
    for (int w = 0; w < n_words; ++w) legal_[static_cast<std::size_t>(w)] &= ~tokens[w];
  };
  if (here.place == Slot::Place::Single || follows_constant(length_)) forbid(grammar_.constant_like());
  for (std::size_t r = 0; r < uses_left_.size(); ++r)
    if (uses_left_[r] == 0) forbid(grammar_.tokens_of_use(static_cast<int>(r)));
  if (grammar_.needs_lookahead()) remove_dead_ends();
  return legal_.data();
}

void PartialTree::remove_dead_ends() {
  if (n_missing_ == 0 && !grammar_.has_scarce_contexts()) return;
  std::fill(is_dead_end_.begin(), is_dead_end_.end(), static_cast<signed char>(-1));
  for_each_token(legal_.data(), grammar_.n_words(), [&](TokenId id) {
    signed char& is_dead_end = is_dead_end_[static_cast<std::size_t>(grammar_.lookahead_kind(id))];
    if (is_dead_end < 0) {
      place(id);
      is_dead_end = !can_be_completed(grammar_, *this);
      take_back();
    }
    if (is_dead_end) remove(legal_.data(), id);
  });
}

void PartialTree::place(TokenId id) {
  const std::uint16_t context = slot(length_).context;
  const int arity = grammar_.vocabulary.arity(id);
  if (arity > 0) {
    const std::uint16_t below = grammar_.contexts.below(context, id);
    Slot* operands = slots_.data() + length_ + n_open_;
    operands[0] = {below, id, arity == 1 ? Slot::Place::Single : Slot::Place::First};
    if (arity == 2) operands[1] = {below, id, Slot::Place::Second};
  }
  for (int rule : grammar_.uses_of(id)) --uses_left_[static_cast<std::size_t>(rule)];
  if (grammar_.needs_lookahead()) count_for_lookahead(id, 1);
  tokens_[static_cast<std::size_t>(length_++)] = id;
  n_open_ += arity - 1;
}

void PartialTree::take_back() {
  const TokenId id = tokens_[static_cast<std::size_t>(--length_)];
  n_open_ -= grammar_.vocabulary.arity(id) - 1;
  for (int rule : grammar_.uses_of(id)) ++uses_left_[static_cast<std::size_t>(rule)];
  if (grammar_.needs_lookahead()) count_for_lookahead(id, -1);
}

// change: 1 when the token is placed at length(), -1 when it is taken back from there.
void PartialTree::count_for_lookahead(TokenId id, int change) {
  int& count = counts_[static_cast<std::size_t>(id)];
  const bool was_there = count > 0;
  count += change;
  if (was_there != (count > 0) && grammar_.is_required(id)) n_missing_ -= change;
  const std::uint16_t context = slot(length_).context;
  const int arity = grammar_.vocabulary.arity(id);
  n_scarce_ -= change * grammar_.is_scarce(context);
  if (arity > 0) n_scarce_ += change * arity * grammar_.is_scarce(grammar_.contexts.below(context, id));
}

}  // namespace ddsr

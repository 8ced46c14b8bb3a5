#include "grammar/partial_tree.hpp"

#include <algorithm>

#include "grammar/completion.hpp"

namespace ddsr {

PartialTree::PartialTree(const Grammar& grammar, bool respects_units)
    : grammar_(grammar),
      tokens_(static_cast<std::size_t>(grammar.rules.max_length)),
      slots_(static_cast<std::size_t>(grammar.rules.max_length) + 2),  // place() always writes two
      uses_left_(grammar.rules.uses.size()),
      counts_(static_cast<std::size_t>(grammar.vocabulary.size())),
      is_dead_end_(static_cast<std::size_t>(grammar.vocabulary.size()) + grammar.rules.uses.size() + 1),
      legal_(static_cast<std::size_t>(grammar.n_words())) {
  if (respects_units && grammar.unit_tables() != nullptr)
    units_.emplace(*grammar.unit_tables(), grammar.rules.max_length);
  clear();
}

void PartialTree::clear() {
  length_ = 0;
  n_open_ = 1;
  ignores_units_ = false;
  if (units_) units_->clear();
  slots_[0] = {NestingContexts::ROOT, PAD, Slot::Place::Single};
  for (std::size_t r = 0; r < uses_left_.size(); ++r) uses_left_[r] = grammar_.rules.uses[r].at_most;
  if (!grammar_.needs_lookahead()) return;
  std::fill(counts_.begin(), counts_.end(), 0);
  n_missing_ = static_cast<int>(grammar_.rules.required.size());
  n_scarce_ = grammar_.is_scarce(NestingContexts::ROOT);
}

// Branch-free here and in place(): a branch would depend on the token drawn last, which the processor cannot
// predict, and a misprediction costs more than the arithmetic.
Word PartialTree::allowed_word(int w) const {
  const Slot& here = slot(length_);
  const bool is_variable_only = (here.place == Slot::Place::Single) | follows_constant(length_);
  auto where = [](bool is_so, Word tokens) { return is_so ? tokens : Word{0}; };
  Word forbidden = where(is_variable_only, grammar_.constant_like()[w]);
  for (std::size_t r = 0; r < uses_left_.size(); ++r)
    forbidden |= where(uses_left_[r] == 0, grammar_.tokens_of_use(static_cast<int>(r))[w]);
  return grammar_.contexts.allowed(here.context)[w] & grammar_.directly_below(here.parent)[w] &
         grammar_.of_arity_at_most(std::min(room(), 2))[w] & ~forbidden;
}

const Word* PartialTree::legal() {
  for (int w = 0; w < grammar_.n_words(); ++w) legal_[static_cast<std::size_t>(w)] = allowed_word(w);
  if (can_dead_end()) remove_dead_ends();
  if (units_ && !ignores_units_) units_->restrict(legal_.data(), grammar_.n_words(), slot(length_).context);
  return legal_.data();
}

bool PartialTree::is_legal(TokenId id) {
  const bool is_allowed = allowed_word(id / 64) >> (id % 64) & 1;
  if (!is_allowed || (can_dead_end() && is_dead_end(id))) return false;
  return !units_ || ignores_units_ || units_->allows(id, slot(length_).context);
}

// Whether a token that obeys every rule may make completion impossible.
bool PartialTree::can_dead_end() const {
  return grammar_.needs_lookahead() && (n_missing_ > 0 || grammar_.has_scarce_contexts());
}

bool PartialTree::is_dead_end(TokenId id) {
  place(id);
  const bool is_completed = can_be_completed(grammar_, *this);
  take_back();
  return !is_completed;
}

void PartialTree::remove_dead_ends() {
  std::fill(is_dead_end_.begin(), is_dead_end_.end(), static_cast<signed char>(-1));
  for_each_token(legal_.data(), grammar_.n_words(), [&](TokenId id) {
    signed char& known = is_dead_end_[static_cast<std::size_t>(grammar_.lookahead_kind(id))];
    if (known < 0) known = is_dead_end(id);
    if (known) remove(legal_.data(), id);
  });
}

void PartialTree::place(TokenId id) {
  const std::uint16_t context = slot(length_).context;
  const int arity = grammar_.vocabulary.arity(id);
  const std::uint16_t below = grammar_.contexts.below(context, id);
  Slot* operands = slots_.data() + length_ + n_open_;  // for a leaf, these are never opened
  operands[0] = {below, id, arity == 1 ? Slot::Place::Single : Slot::Place::First};
  operands[1] = {below, id, Slot::Place::Second};
  if (grammar_.vocabulary.is_template(id)) open_holes();
  if (units_) units_->place(id, arity, length_ + n_open_, below);
  change_uses_left(id, -1);
  if (grammar_.needs_lookahead()) count_for_lookahead(id, 1);
  tokens_[static_cast<std::size_t>(length_++)] = id;
  n_open_ += arity - 1;
}

// The template is the root, so its operands are the first open slots.
void PartialTree::open_holes() {
  const auto n_holes = static_cast<int>(grammar_.vocabulary.pattern()->holes.size());
  for (int hole = 0; hole < n_holes; ++hole)
    slots_[static_cast<std::size_t>(1 + hole)] = {grammar_.contexts.in_hole(hole), slots_[1].parent,
                                                  Slot::Place::Hole};
}

void PartialTree::take_back() {
  const TokenId id = tokens_[static_cast<std::size_t>(--length_)];
  n_open_ -= grammar_.vocabulary.arity(id) - 1;
  change_uses_left(id, 1);
  if (grammar_.needs_lookahead()) count_for_lookahead(id, -1);
}

void PartialTree::change_uses_left(TokenId id, int change) {
  for (std::size_t r = 0; r < uses_left_.size(); ++r)
    uses_left_[r] += change * has(grammar_.tokens_of_use(static_cast<int>(r)), id);
}

// `change` is 1 when the token is placed at length() and -1 when it is taken back.
void PartialTree::count_for_lookahead(TokenId id, int change) {
  int& count = counts_[static_cast<std::size_t>(id)];
  const bool was_there = count > 0;
  count += change;
  if (was_there != (count > 0) && grammar_.is_required(id)) n_missing_ -= change;
  const std::uint16_t context = slot(length_).context;
  const int arity = grammar_.vocabulary.arity(id);
  n_scarce_ -= change * grammar_.is_scarce(context);
  if (grammar_.vocabulary.is_template(id))
    for (int hole = 0; hole < arity; ++hole)
      n_scarce_ += change * grammar_.is_scarce(grammar_.contexts.in_hole(hole));
  else if (arity > 0)
    n_scarce_ += change * arity * grammar_.is_scarce(grammar_.contexts.below(context, id));
}

}  // namespace ddsr

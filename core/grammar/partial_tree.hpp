// A breadth-first sequence that is filled from left to right.
#pragma once

#include <optional>
#include <vector>

#include "grammar/grammar.hpp"
#include "grammar/unit_state.hpp"

namespace ddsr {

// A position that takes a token in its turn. The two operands of an operator are adjacent.
struct Slot {
  // Single: the root, a unary operator's operand. Hole: an operand of the template.
  enum class Place : std::uint8_t { Single, First, Second, Hole };
  std::uint16_t context;  // of the nesting rules
  TokenId parent;         // PAD for the root
  Place place;
};

class PartialTree {
 public:
  // With units, only tokens are legal with which some completion agrees in its units, as far as the tables
  // know (grammar/unit_tables.hpp).
  explicit PartialTree(const Grammar& grammar, bool respects_units = false);

  void clear();
  // Until the next clear().
  void ignore_units() { ignores_units_ = true; }
  int length() const { return length_; }
  int n_open() const { return n_open_; }
  bool is_complete() const { return n_open_ == 0; }

  // Number of tokens left after every open slot is closed with a leaf.
  int room() const { return grammar_.rules.max_length - length_ - n_open_; }

  // The tokens that may fill the next open slot, valid until the tree changes. They are exactly those with
  // which some complete and legal expression continues: there are no dead ends (see completion.hpp).
  const Word* legal();
  // Whether this token is legal, without computing the others.
  bool is_legal(TokenId id);

  // Fills the next open slot with a legal token, and undoes that.
  void place(TokenId id);
  void take_back();

  // The open slots have indices length() to length() + n_open() - 1.
  const Slot& slot(int index) const { return slots_[static_cast<std::size_t>(index)]; }
  TokenId token(int index) const { return tokens_[static_cast<std::size_t>(index)]; }
  int uses_left(int rule) const { return uses_left_[static_cast<std::size_t>(rule)]; }

  // Updated only if the grammar needs lookahead:
  int count(TokenId id) const { return counts_[static_cast<std::size_t>(id)]; }
  int n_missing() const { return n_missing_; }  // required variables that have not occurred yet
  int n_scarce() const { return n_scarce_; }    // open slots that only limited free leaves can fill

  // Whether the operand to the left of this one is a constant-like leaf.
  bool follows_constant(int index) const {
    const bool has_left_one = (slot(index).place == Slot::Place::Second) & (index <= length_);
    return has_left_one & has(grammar_.constant_like(), token(index > 0 ? index - 1 : 0));
  }

 private:
  Word allowed_word(int w) const;  // 64 of the tokens that the rules allow here, including dead ends
  void open_holes();
  bool can_dead_end() const;
  bool is_dead_end(TokenId id);
  void remove_dead_ends();
  void change_uses_left(TokenId id, int change);
  void count_for_lookahead(TokenId id, int change);

  const Grammar& grammar_;
  int length_ = 0, n_open_ = 1;
  std::vector<TokenId> tokens_;
  std::vector<Slot> slots_;
  std::vector<int> uses_left_;  // of each rule on uses
  std::vector<int> counts_;     // of each token
  int n_missing_ = 0, n_scarce_ = 0;
  std::vector<signed char> is_dead_end_;  // by lookahead kind; -1: not tried yet
  std::vector<Word> legal_;
  std::optional<UnitState> units_;
  bool ignores_units_ = false;
};

}  // namespace ddsr

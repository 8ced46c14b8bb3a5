// Which tokens may fill the next slot of a partial tree so that some completion agrees in its units.
//
// The tokens that are placed form a tree whose nodes restrict each other's units. For every node the number
// of tokens of its subtree is known by unit, whatever is still open; from these follow the tokens outside of
// the next slot, and with those the units that it may have.
#pragma once

#include <vector>

#include "grammar/token_set.hpp"
#include "grammar/unit_tables.hpp"

namespace ddsr {

class UnitState {
 public:
  UnitState(const UnitTables& tables, int max_length);

  void clear();
  // The next slot takes a token. Its operands, if any, are the slots from `first_operand` on, in `context`.
  void place(TokenId id, int arity, int first_operand, int context);
  // Removes the tokens that no completion of at most the maximum length allows.
  void restrict(Word* legal, int n_words, int context) const;
  bool allows(TokenId id, int context) const;

 private:
  using Costs = UnitTables::Costs;

  struct Node {
    int parent = -1, first_operand = -1;
    int arity = 0;
    int size = 1;  // tokens and open slots of its subtree
    bool is_first = true;
    TokenId id = PAD;
    Costs inside;  // once it is placed
    const Costs* open = nullptr;
  };
  const Costs& inside(int node) const;
  void update(int node);
  // The most tokens that the subtree of a node may have.
  int limit(int node) const {
    return max_length_ - nodes_[0].size + nodes_[static_cast<std::size_t>(node)].size;
  }
  Costs outside_of_next() const;

  const UnitTables& tables_;
  const int max_length_;
  int length_ = 0;
  std::vector<Node> nodes_;
  mutable Costs outside_;
  mutable bool is_current_ = false;
};

}  // namespace ddsr

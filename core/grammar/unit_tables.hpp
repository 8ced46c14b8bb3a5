// What a fill needs to know of units: how few tokens complete an expression in which a slot has some unit.
//
// Only units that few tokens make are known, at most MOST_UNITS. An open slot is taken to be closed by a
// product or quotient of variables, or by one homogeneous function of such a subtree. These break no other
// rule, so if the tables name a completion within the length, it exists. They may refuse an expression near
// the maximum length that a constant would complete with fewer tokens.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "grammar/nesting.hpp"
#include "grammar/units.hpp"

namespace ddsr {

class UnitTables {
 public:
  using Cost = std::int16_t;        // number of tokens
  using Costs = std::vector<Cost>;  // for each unit
  static constexpr Cost NEVER = 10'000;
  static constexpr std::size_t MOST_UNITS = 96;

  // `directly_below[parent + 1]` are the tokens that may stand there; that of the root is the first.
  UnitTables(const Vocabulary& vocabulary, const Units& units, const NestingContexts& contexts,
             const TokenSets& directly_below, int max_length);

  int n_units() const { return static_cast<int>(units_.size()); }
  int number() const { return number_; }
  int target() const { return target_; }

  // The unit of a leaf.
  int of_leaf(TokenId id) const { return of_leaf_[static_cast<std::size_t>(id)]; }

  // The tokens of a subtree in an open slot.
  const Costs& slot(int context, TokenId parent) const {
    return slots_[static_cast<std::size_t>(context * (n_operators_ + 1) + parent + 1)];
  }
  // The same if its root is this token.
  const Costs& token(int context, TokenId id) const {
    return tokens_[static_cast<std::size_t>(context * n_tokens_ + id)];
  }

  // The tokens of a subtree with this root, given those of its operands; `second` may be null. More tokens
  // than `limit` count as NEVER.
  Costs combined(TokenId root, const Costs* first, const Costs* second, int limit) const;
  // The tokens outside of an operand, given those outside of its operator and those of the other operand.
  Costs outside(TokenId above, bool is_first, const Costs& outside_of_above, const Costs* other,
                int limit) const;

 private:
  // -1 for units that are not known.
  int product(int a, int b) const { return products_[static_cast<std::size_t>(a * n_units() + b)]; }
  int quotient(int a, int b) const { return quotients_[static_cast<std::size_t>(a * n_units() + b)]; }
  // The unit of the result of a homogeneous function.
  int result(TokenId op, int operand) const { return results_[place_of(op, operand)]; }
  std::size_t place_of(TokenId op, int unit) const { return static_cast<std::size_t>(op * n_units() + unit); }
  void find_units(const Vocabulary& vocabulary, const Units& units, int max_length);
  void tabulate();
  Costs closing(const Vocabulary& vocabulary, const NestingContexts& contexts, int context) const;
  void price_slots(const Vocabulary& vocabulary, const NestingContexts& contexts,
                   const TokenSets& directly_below);
  void price_tokens(const Vocabulary& vocabulary, const NestingContexts& contexts);

  int n_operators_, n_tokens_;
  std::vector<Unit> units_;
  std::map<Unit, int> index_;
  Costs least_;  // of products and quotients of variables
  int number_ = -1, target_ = -1;
  std::vector<int> of_leaf_;
  std::vector<std::int16_t> products_, quotients_, results_;
  std::vector<UnitLaw> laws_;  // of the operators
  std::vector<Costs> slots_, tokens_;
};

}  // namespace ddsr

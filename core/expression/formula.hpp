// An expression with the values of its constants, in prefix order: each operator before its operands.
//
// Here a subtree is a range of tokens, which suits moves that cut and paste subtrees. The engine and the
// generators use the breadth-first form.
#pragma once

#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

struct Formula {
  std::vector<TokenId> tokens;    // prefix
  std::vector<double> constants;  // in the order of their tokens

  bool operator==(const Formula&) const = default;
};

// One past the last token of the subtree that begins at `begin`.
int subtree_end(const Vocabulary& vocabulary, std::span<const TokenId> prefix, int begin);

// Number of constants before index `end`, which is the index of the first constant from there on.
int constants_before(const Vocabulary& vocabulary, std::span<const TokenId> prefix, int end);

Formula formula_from_breadth_first(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                                   std::span<const double> constants);

// The same expression in breadth-first order.
Formula breadth_first_of(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

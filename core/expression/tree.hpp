// An expression as a tree, and its two flat forms: breadth-first (used by generators) and prefix.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

// Where and why tokens are not one complete expression.
struct Flaw {
  int position = -1;  // -1: none
  std::string reason;
  explicit operator bool() const { return position >= 0; }
};

// The maximum number of tokens. Some work on trees takes time and memory quadratic in their length.
inline constexpr int LONGEST = 4096;

// Number of tokens before the first PAD.
int length_of(std::span<const TokenId> row);

// Checks that `tokens` are exactly one tree in breadth-first or prefix order. Both have the same condition:
// the number of open slots reaches 0 at the last token and not before.
Flaw find_flaw(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

// Index of each node's first child in a breadth-first sequence; its siblings follow.
std::vector<int> first_children(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first);

// order[k] is the index in the one form of the token at index k of the other.
std::vector<int> prefix_from_breadth_first(const Vocabulary& vocabulary, std::span<const TokenId> tokens);
std::vector<int> breadth_first_from_prefix(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

// The canonical form of a breadth-first sequence: the operands of + and * (of a whole chain) are in a fixed
// order, smaller ones first. `order` is the previous index of each token, so that constants can follow their
// tokens. Two expressions have the same canonical tokens exactly if they differ only in the order of operands
// and the values of constants.
struct Canonical {
  std::vector<TokenId> tokens;  // breadth-first
  std::vector<int> order;
};
Canonical canonical_form(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first);

}  // namespace ddsr

// An expression as a tree, and its two flat forms: breadth-first (the generator's) and prefix.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

// Where tokens stop being one complete expression, and why.
struct Flaw {
  int position = -1;  // -1: none
  std::string reason;
  explicit operator bool() const { return position >= 0; }
};

// More tokens than this are refused: work on trees may take time and memory of the square of their length.
inline constexpr int LONGEST = 4096;

// Number of tokens before the first PAD.
int length_of(std::span<const TokenId> row);

// Checks that `tokens` is exactly one tree in breadth-first order (or prefix order: both have the same
// condition, that the count of open slots reaches 0 at the last token and not before).
Flaw find_flaw(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

// Index of each node's first child in a breadth-first sequence; its siblings follow it.
std::vector<int> first_children(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first);

// order[k] is the index in the one form of what stands at place k of the other.
std::vector<int> prefix_from_breadth_first(const Vocabulary& vocabulary, std::span<const TokenId> tokens);
std::vector<int> breadth_first_from_prefix(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

// The canonical form of a breadth-first sequence: operands of + and * (chains of them taken together)
// in one fixed order, smaller first. `order` says where each token came from, so that constants follow
// their tokens. Two expressions have the same canonical tokens exactly if they differ by the order of
// operands and the values of constants.
struct Canonical {
  std::vector<TokenId> tokens;  // breadth-first
  std::vector<int> order;
};
Canonical canonical_form(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first);

}  // namespace ddsr

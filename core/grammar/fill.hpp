// Fills and marks batches of breadth-first sequences under a grammar.
#pragma once

#include <cstdint>
#include <span>

#include "grammar/grammar.hpp"
#include "grammar/partial_tree.hpp"

namespace ddsr {

struct FillInput {
  std::size_t n_rows;
  const float* logits;  // (n, max_length, vocabulary)
  const TokenId* kept;  // (n_rows, max_length): a token, or MASK or PAD if one is to be drawn
  const std::int64_t* logits_of = nullptr;  // (n_rows): index of each row's logits; null: n = n_rows, its own
};

struct FillOutput {
  TokenId* tokens;   // (n_rows, max_length), PAD after the end
  float* log_probs;  // (n_rows, max_length), 0 after the end; null if not needed, which is faster
};

// Fills each row from left to right until its tree is complete. A kept token stays if it is legal; elsewhere
// one is drawn from the softmax of the logits over the legal tokens. `log_probs` are those of all tokens in
// that distribution, including kept ones. Draws depend only on (seed, stream, row, position) and are the same
// with and without log-probabilities.
void fill(const Grammar& grammar, const FillInput& input, std::uint64_t seed, std::uint64_t stream,
          int n_threads, const FillOutput& output);

// Marks the legal tokens along given sequences, reusing its memory from row to row.
class LegalMarker {
 public:
  explicit LegalMarker(const Grammar& grammar) : grammar_(grammar), tree_(grammar, true) {}

  // legal: (row.size(), vocabulary), all 0 before the call. Sets 1 for each token that is legal given those
  // before it. Nothing is marked after the end of the tree, the first unknown position (MASK or PAD) or an
  // illegal token. Returns the position of the first illegal token, or -1. Expressions with a unit that the
  // tables do not know are marked without units from there on.
  int mark(std::span<const TokenId> row, std::uint8_t* legal);

 private:
  const Grammar& grammar_;
  PartialTree tree_;
};

}  // namespace ddsr

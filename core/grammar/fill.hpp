// Work on whole batches of breadth-first sequences under a grammar.
#pragma once

#include <cstdint>
#include <span>

#include "grammar/grammar.hpp"
#include "grammar/partial_tree.hpp"

namespace ddsr {

struct FillInput {
  std::size_t n_rows;
  const float* logits;  // (n, max_length, vocabulary)
  const TokenId* kept;  // (n_rows, max_length): a token, or MASK or PAD where one is to be drawn
  const std::int64_t* logits_of = nullptr;  // (n_rows): which of the n a row has; null: n = n_rows, its own
};

struct FillOutput {
  TokenId* tokens;   // (n_rows, max_length), PAD behind the end
  float* log_probs;  // (n_rows, max_length), 0 behind the end; null where none are wanted: that is faster
};

// Fills each row from left to right until its tree is complete: a kept token stays where it is legal;
// elsewhere one is drawn from the softmax of the logits over the legal tokens. `log_probs` are those of the
// tokens in that distribution, kept ones too. Draws depend on (seed, stream, row, position) alone, and are
// the same with and without log-probabilities.
void fill(const Grammar& grammar, const FillInput& input, std::uint64_t seed, std::uint64_t stream,
          int n_threads, const FillOutput& output);

// Tells the legal tokens along given sequences, row after row with the same memory.
class LegalMarker {
 public:
  explicit LegalMarker(const Grammar& grammar) : grammar_(grammar), tree_(grammar) {}

  // legal: (row.size(), vocabulary), all 0 before; 1 is put where a token may stand given those before it,
  // but nowhere behind the end of the tree, behind the first position that is not known (MASK or PAD), nor
  // behind a token that is not legal. Gives the position of the first such token, or -1.
  int mark(std::span<const TokenId> row, std::uint8_t* legal);

 private:
  const Grammar& grammar_;
  PartialTree tree_;
};

}  // namespace ddsr

// Work on whole batches of breadth-first sequences under a grammar.
#pragma once

#include <cstdint>
#include <span>

#include "grammar/grammar.hpp"

namespace ddsr {

struct FillInput {
  std::size_t n_rows;
  const float* logits;  // (n_rows, max_length, vocabulary)
  const TokenId* kept;  // (n_rows, max_length): a token, or MASK or PAD where one is to be drawn
};

struct FillOutput {
  TokenId* tokens;   // (n_rows, max_length), PAD behind the end
  float* log_probs;  // (n_rows, max_length), 0 behind the end
};

// Fills each row from left to right until its tree is complete: a kept token stays where it is legal;
// elsewhere one is drawn from the softmax of the logits over the legal tokens. `log_probs` are those of the
// tokens in that distribution, kept ones too. Draws depend on (seed, stream, row, position) alone.
void fill(const Grammar& grammar, const FillInput& input, std::uint64_t seed, std::uint64_t stream,
          int n_threads, const FillOutput& output);

// legal: (row.size(), vocabulary), 1 where a token may stand given those before it, all 0 behind the end of
// the tree and behind the first position that is not known (MASK or PAD). Gives the position of the first
// token that is not legal, or -1; what lies behind such a token stays 0.
int mark_legal(const Grammar& grammar, std::span<const TokenId> row, std::uint8_t* legal);

}  // namespace ddsr

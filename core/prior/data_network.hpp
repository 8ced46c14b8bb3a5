// The prior for one data set and the user's tokens: logits of the next token of a beginning.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "expression/vocabulary.hpp"
#include "prior/network.hpp"

namespace ddsr::prior {

class DataNetwork {
 public:
  // `known_as` has the prior's token for each of the user's, negative for those that it does not know, and
  // `unknown_logit` is the logit of these. `max_length` is that of expressions, at most the prior's.
  DataNetwork(std::shared_ptr<const Network> network, const Encoding& encoding, std::vector<int> known_as,
              float unknown_logit, int max_length);

  int n_tokens() const { return static_cast<int>(known_as_.size()); }
  int max_length() const { return max_length_; }

  // Writes n_tokens() logits of the token after each beginning to a row of `logits`. Beginnings are shorter
  // than max_length(); a row does not depend on the others, nor on the number of threads.
  void next_logits(std::span<const std::span<const TokenId>> beginnings, float* logits, int n_threads) const;

 private:
  void predict(std::span<const std::span<const TokenId>> beginnings, float* logits) const;
  int shown_length(std::span<const TokenId> beginning) const;
  void embed(std::span<const TokenId> beginning, int length, float* out) const;
  int row_of(TokenId id) const;
  Linear make_head(const Rows& names, float unknown_logit) const;

  std::shared_ptr<const Network> network_;
  std::vector<int> known_as_;
  int max_length_;
  Rows table_,
      parents_;  // embeddings of the fixed tokens, MASK and the variables: of a token, of an operator
  std::vector<Memory> memories_;  // of each layer
  Linear head_;                   // from the last layer to the logits of the user's tokens
};

}  // namespace ddsr::prior

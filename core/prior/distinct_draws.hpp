// Distinct expressions from the prior, one after the other: an endless sample without repetition.
//
// The number of each beginning is its log-probability plus Gumbel noise, and the number of a beginning is the
// largest of those of its continuations (Kool, van Hoof & Welling 2019). So the expression with the highest
// number is found by always continuing the highest beginning, and then the second highest expression, as if
// all expressions were listed and sorted. No beginning is continued twice.
//
// The noise depends only on the seed and the tokens. So the sequence of expressions depends neither on how
// many are asked for at a time, nor on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "grammar/grammar.hpp"
#include "grammar/partial_tree.hpp"
#include "prior/data_network.hpp"

namespace ddsr::prior {

class DistinctDraws {
 public:
  // `places` has the number of each token that its noise depends on, in place of its id.
  DistinctDraws(const Grammar& grammar, std::shared_ptr<const DataNetwork> network, std::vector<int> places,
                std::uint64_t seed);

  // The next expressions, at most n: fewer if the grammar has no more, or after `seconds`.
  std::vector<std::vector<TokenId>> next(std::size_t n, double seconds, int n_threads);

  int max_length() const { return grammar_.rules.max_length; }
  // Number of beginnings for which the network has computed the next token.
  std::size_t n_continued() const { return n_continued_; }

 private:
  // A beginning, as a token after another one.
  struct Beginning {
    std::uint32_t parent;
    TokenId token;
    std::int16_t length, n_open;  // n_open is 0 for a complete expression
    double log_prob;
  };
  struct Candidate {
    double number;
    std::uint32_t beginning;
    bool operator<(const Candidate& other) const {
      return number != other.number ? number < other.number : beginning > other.beginning;
    }
  };

  std::vector<Candidate> take_highest(std::size_t n);
  void continue_all(const std::vector<Candidate>& chosen, int n_threads);
  void add_children(const Candidate& parent, const std::vector<TokenId>& tokens, const float* logits);
  std::vector<TokenId> tokens_of(std::uint32_t beginning) const;

  const Grammar& grammar_;
  std::shared_ptr<const DataNetwork> network_;
  std::vector<int> places_;
  std::uint64_t seed_;
  PartialTree tree_;
  std::vector<Beginning> beginnings_;
  std::priority_queue<Candidate> open_;
  std::size_t n_continued_ = 0;
};

// Log-probability of each token of each expression, drawn from left to right; −∞ from an illegal one on.
std::vector<std::vector<double>> token_log_probs(const Grammar& grammar, const DataNetwork& network,
                                                 std::span<const std::span<const TokenId>> expressions,
                                                 int n_threads);

}  // namespace ddsr::prior

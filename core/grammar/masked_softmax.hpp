// The softmax of a row of logits over the legal tokens only: draws and log-probabilities.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "grammar/token_set.hpp"
#include "kernels/kernels.hpp"

namespace ddsr {

// The legal tokens of a position are known only after the previous one is drawn, so every step waits for the
// last. The exponentials do not depend on that: they are computed for the next few free positions together,
// over all tokens, and a draw only has to add up those of the legal ones.
class MaskedSoftmax {
 public:
  MaskedSoftmax(int n_tokens, int n_positions)
      : n_tokens_(n_tokens),
        n_positions_(n_positions),
        stride_((n_tokens + 15) / 16 * 16),
        n_groups_((n_tokens + GROUP - 1) / GROUP),
        n_words_(words_for(n_tokens)),
        weights_(static_cast<std::size_t>(stride_ * n_positions)),
        largest_(static_cast<std::size_t>(n_positions)),
        free_(static_cast<std::size_t>(n_positions)),
        sums_(static_cast<std::size_t>(stride_)),
        group_sums_(static_cast<std::size_t>(n_groups_)) {}

  // Sets the logits of a new row, (n_positions, n_tokens). Positions where `kept` has a token are not weighed
  // in advance, because most are never loaded. If `kept` is null, all positions are free.
  void start(const float* logits, const TokenId* kept) {
    logits_ = logits;
    n_free_ = n_weighed_ = n_loaded_ = 0;
    for (int i = 0; i < n_positions_; ++i) {  // branch-free: free positions are unpredictable
      free_[static_cast<std::size_t>(n_free_)] = i;
      n_free_ += kept == nullptr || kept[i] < 0;
    }
  }

  // Prepares one position. Positions are loaded in order, and no free one may be skipped.
  void load(int position, const Word* legal) {
    if (n_loaded_ == n_free_ || free_[static_cast<std::size_t>(n_loaded_)] != position)
      weigh(&position, 1);
    else if (n_loaded_++ == n_weighed_)
      weigh_ahead();
    position_ = position;
    legal_ = legal;
    add_up(weights_.data() + position * stride_);
    largest_here_ = largest_[static_cast<std::size_t>(position)];
    if (!(total_ >= LEAST_TOTAL && total_ <= std::numeric_limits<float>::max())) weigh_legal_alone();
  }

  float log_prob(TokenId id) const {
    if (is_uniform_here()) return -std::log(static_cast<float>(n_legal()));
    return logits_[position_ * n_tokens_ + id] - largest_here_ - std::log(total_);
  }

  // Returns the token for a uniform number: the first at which the running sum exceeds that share of the
  // total. Counts without a branch.
  TokenId draw(float uniform) const {
    if (is_uniform_here()) return nth_legal(static_cast<int>(uniform * static_cast<float>(n_legal())));
    const float wanted = uniform * total_;
    int n_before = 0;
    for (int g = 0; g < n_groups_; ++g) {
      const float wanted_here = wanted - group_sums_[static_cast<std::size_t>(g)];
      for (int k = 0; k < GROUP; ++k)
        n_before += sums_[static_cast<std::size_t>(g * GROUP + k)] <= wanted_here;
    }
    const auto id = static_cast<TokenId>(n_before);
    return id < n_tokens_ && has(legal_, id) ? id : last_drawable();
  }

 private:
  static constexpr int AHEAD = 4;  // positions whose exponentials are computed together
  static constexpr int GROUP = 8;  // tokens with a common running sum
  // Below this total, illegal tokens dominate and single precision is too coarse for the legal ones.
  static constexpr float LEAST_TOTAL = 1e-20f;

  void weigh(const int* positions, int n) {
    kernels().weigh(weights_.data(), largest_.data(), logits_, positions, n, n_tokens_, stride_);
  }

  void weigh_ahead() {
    const int n = std::min(AHEAD, n_free_ - n_weighed_);
    weigh(free_.data() + n_weighed_, n);
    n_weighed_ += n;
  }

  // Computes the running sums of the legal tokens' weights within each group, those of the groups, and the
  // total. A NaN weight, legal or not, makes the total NaN, which the slow path handles.
  void add_up(const float* weights) {
    float* sums = sums_.data();
    for (int g = 0; g < n_groups_; ++g) {
      const float* is_legal = SPREAD[legal_[g / 8] >> (8 * (g % 8)) & 255].data();
#pragma omp simd
      for (int k = 0; k < GROUP; ++k) sums[g * GROUP + k] = weights[g * GROUP + k] * is_legal[k];
    }
    for (int g = 0; g < n_groups_; ++g)
      for (int k = 1; k < GROUP; ++k) sums[g * GROUP + k] += sums[g * GROUP + k - 1];
    total_ = 0.0f;
    for (int g = 0; g < n_groups_; ++g) {
      group_sums_[static_cast<std::size_t>(g)] = total_;
      total_ += sums_[static_cast<std::size_t>(g * GROUP + GROUP - 1)];
    }
  }

  // The slow path, for logits that differ so much that the legal ones vanish beside the others. If the legal
  // probabilities are not finite or sum to 0 (NaN, +inf, or only -inf), all legal tokens are equally likely.
  void weigh_legal_alone() {
    const float* logits = logits_ + position_ * n_tokens_;
    float* weights = weights_.data() + position_ * stride_;
    largest_here_ = -std::numeric_limits<float>::infinity();
    std::fill_n(weights, stride_, 0.0f);
    for_each_token(legal_, n_words_,
                   [&](TokenId id) { largest_here_ = std::max(largest_here_, logits[id]); });
    for_each_token(legal_, n_words_, [&](TokenId id) { weights[id] = std::exp(logits[id] - largest_here_); });
    add_up(weights);
    if (!(total_ > 0.0f && total_ <= std::numeric_limits<float>::max())) total_ = 0.0f;
  }

  bool is_uniform_here() const { return total_ == 0.0f; }

  int n_legal() const {
    int n = 0;
    for (int w = 0; w < n_words_; ++w) n += std::popcount(legal_[w]);
    return n;
  }

  TokenId nth_legal(int n) const {
    TokenId found = PAD;
    for_each_token(legal_, n_words_, [&](TokenId id) {
      if (n-- >= 0) found = id;  // the last one if rounding made n too large
    });
    return found;
  }

  // If rounding leaves `uniform` above the last sum.
  TokenId last_drawable() const {
    TokenId found = PAD;
    for_each_token(legal_, n_words_, [&](TokenId id) {
      if (weights_[static_cast<std::size_t>(position_ * stride_ + id)] > 0.0f) found = id;
    });
    return found;
  }

  // For each byte of a set, its bits as 0 and 1.
  static constexpr auto SPREAD = [] {
    std::array<std::array<float, 8>, 256> spread{};
    for (unsigned byte = 0; byte < 256; ++byte)
      for (unsigned k = 0; k < 8; ++k) spread[byte][k] = byte >> k & 1 ? 1.0f : 0.0f;
    return spread;
  }();

  int n_tokens_, n_positions_, stride_, n_groups_, n_words_;
  int n_free_ = 0, n_weighed_ = 0, n_loaded_ = 0;  // of the free positions
  int position_ = 0;
  const float* logits_ = nullptr;
  const Word* legal_ = nullptr;
  std::vector<float> weights_;  // exp(logit - largest of its position), (n_positions, stride)
  std::vector<float> largest_;  // of each position
  std::vector<int> free_;       // positions, in order
  std::vector<float> sums_, group_sums_;
  float largest_here_ = 0.0f, total_ = 0.0f;
};

}  // namespace ddsr

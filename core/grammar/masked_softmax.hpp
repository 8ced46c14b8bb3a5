// The softmax of a row of logits over the legal tokens alone: one draw and the log-probabilities.
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

namespace ddsr {

// exp(x) for x <= 0, to a relative error of about 1e-7; 0 below -87 and NaN for NaN. Cephes' polynomial
// in plain arithmetic: loops over it vectorise on any machine.
inline float exp_of_negative(float x) {
  constexpr float ROUND = 12582912.0f;  // 1.5 * 2^23: adding it leaves an integer in the lowest bits
  const float shifted = x * 1.44269504f + ROUND;
  const float n = shifted - ROUND;
  const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3F800000u);
  return x < -87.0f ? 0.0f : p * power;
}

class MaskedSoftmax {
 public:
  explicit MaskedSoftmax(int n_tokens)
      : n_tokens_(n_tokens), n_bytes_((n_tokens + 7) / 8), n_words_(words_for(n_tokens)) {
    logits_.resize(static_cast<std::size_t>(8 * n_bytes_));
    weights_.resize(logits_.size());
    is_legal_.resize(logits_.size());
  }

  // Where the legal probabilities are not finite or sum to 0 (a NaN, +inf, or nothing but -inf among the
  // logits), all legal tokens are equally likely.
  void load(const float* logits, const Word* legal) {
    legal_ = legal;
    std::memcpy(logits_.data(), logits, static_cast<std::size_t>(n_tokens_) * sizeof(float));
    hide_illegal();
    largest_ = largest_logit();
    total_ = weigh();
    is_uniform_ = !(total_ > 0.0f && total_ <= std::numeric_limits<float>::max());
    log_total_ = std::log(is_uniform_ ? static_cast<float>(n_legal()) : total_);
  }

  float log_prob(TokenId id) const {
    return is_uniform_ ? -log_total_ : logits_[static_cast<std::size_t>(id)] - largest_ - log_total_;
  }

  // The token that a number of (0, 1) stands for.
  TokenId draw(float uniform) const {
    if (is_uniform_) return nth_legal(static_cast<int>(uniform * static_cast<float>(n_legal())));
    float rest = uniform * total_;
    TokenId drawn = PAD;
    for (TokenId id = 0; id < n_tokens_; ++id) {
      const float weight = weights_[static_cast<std::size_t>(id)];
      if (weight > 0.0f) drawn = id;  // the last one where rounding leaves a rest
      if (rest < weight) break;
      rest -= weight;
    }
    return drawn;
  }

 private:
  // Sets the logits of illegal tokens to -inf.
  void hide_illegal() {
    constexpr auto HIDDEN = std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::infinity());
    for (int b = 0; b < n_bytes_; ++b)
      std::memcpy(is_legal_.data() + 8 * b, SPREAD[legal_[b / 8] >> (8 * (b % 8)) & 255].data(), 32);
    const std::uint32_t* is_legal = is_legal_.data();
    float* logits = logits_.data();
#pragma omp simd
    for (int k = 0; k < 8 * n_bytes_; ++k) {
      const auto bits = std::bit_cast<std::uint32_t>(logits[k]);
      logits[k] = std::bit_cast<float>((bits & is_legal[k]) | (HIDDEN & ~is_legal[k]));
    }
  }

  // NaN left aside.
  float largest_logit() const {
    float largest = -std::numeric_limits<float>::infinity();
    const float* logits = logits_.data();
#pragma omp simd reduction(max : largest)
    for (int k = 0; k < 8 * n_bytes_; ++k) largest = logits[k] > largest ? logits[k] : largest;
    return largest;
  }

  // exp(logit - largest) of each token, and their sum.
  float weigh() {
    const float largest = largest_;
    const float* logits = logits_.data();
    float* weights = weights_.data();
    float total = 0.0f;
#pragma omp simd reduction(+ : total)
    for (int k = 0; k < 8 * n_bytes_; ++k) {
      weights[k] = exp_of_negative(logits[k] - largest);
      total += weights[k];
    }
    return total;
  }

  int n_legal() const {
    int n = 0;
    for (int w = 0; w < n_words_; ++w) n += std::popcount(legal_[w]);
    return n;
  }

  TokenId nth_legal(int n) const {
    TokenId found = PAD;
    for_each_token(legal_, n_words_, [&](TokenId id) {
      if (n-- >= 0) found = id;  // the last one where rounding took n too far
    });
    return found;
  }

  // For each byte of a set, a word of ones for each bit that is set.
  static constexpr auto SPREAD = [] {
    std::array<std::array<std::uint32_t, 8>, 256> spread{};
    for (unsigned byte = 0; byte < 256; ++byte)
      for (unsigned k = 0; k < 8; ++k) spread[byte][k] = byte >> k & 1 ? ~0u : 0u;
    return spread;
  }();

  int n_tokens_, n_bytes_, n_words_;
  const Word* legal_ = nullptr;
  std::vector<std::uint32_t> is_legal_;
  std::vector<float> logits_, weights_;
  float largest_ = 0.0f, total_ = 0.0f, log_total_ = 0.0f;
  bool is_uniform_ = false;
};

}  // namespace ddsr

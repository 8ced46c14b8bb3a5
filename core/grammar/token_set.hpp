// Sets of tokens as bits, 64 per word: one word for the usual vocabulary, more if there are hundreds of
// variables.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

using Word = std::uint64_t;

inline int words_for(int n_tokens) { return (n_tokens + 63) / 64; }
inline bool has(const Word* set, TokenId id) { return set[id / 64] >> (id % 64) & 1; }
inline void add(Word* set, TokenId id) { set[id / 64] |= Word{1} << (id % 64); }
inline void remove(Word* set, TokenId id) { set[id / 64] &= ~(Word{1} << (id % 64)); }

// Calls fn(id) for the tokens of a set, in order.
template <typename Fn>
void for_each_token(const Word* set, int n_words, Fn&& fn) {
  for (int w = 0; w < n_words; ++w)
    for (Word left = set[w]; left != 0; left &= left - 1)
      fn(static_cast<TokenId>(64 * w + std::countr_zero(left)));
}

// A list of sets over one vocabulary, in contiguous memory.
class TokenSets {
 public:
  explicit TokenSets(int n_tokens = 0, int n_sets = 0)
      : n_words_(words_for(n_tokens)), words_(static_cast<std::size_t>(n_words_ * n_sets)) {}

  int n_words() const { return n_words_; }
  Word* operator[](int set) { return words_.data() + static_cast<std::ptrdiff_t>(set) * n_words_; }
  const Word* operator[](int set) const {
    return words_.data() + static_cast<std::ptrdiff_t>(set) * n_words_;
  }

  void push_back(std::span<const Word> set) { words_.insert(words_.end(), set.begin(), set.end()); }

 private:
  int n_words_;
  std::vector<Word> words_;
};

}  // namespace ddsr

// Attention of the prior's network: softmax(QKᵀ/√d) V, with a slice of the width per head.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "prior/layers.hpp"

namespace ddsr::prior {

// The bounds of n sequences of the same length.
std::vector<int> equal_bounds(int n, int length);

// Keys and values, packed for queries.
class Memory {
 public:
  Memory() = default;
  // Vector i has its key at keys + i * stride, and its value at values + i * stride.
  Memory(const float* keys, const float* values, int stride, int n, int width, int n_heads);

  // Lets each of n queries attend to all vectors.
  void look(float* out, int out_stride, const float* queries, int query_stride, int n) const;

 private:
  int n_ = 0, head_width_ = 0;
  std::vector<Packed> keys_, values_;  // one per head; the keys are divided by √d
};

class CrossAttention {
 public:
  CrossAttention() = default;
  CrossAttention(const Tensors& tensors, const std::string& name, int width, int n_heads);

  Memory memory(const Rows& context) const;
  Rows queries(const Rows& x) const { return query_(x); }
  // Result of attention; with Finish::Add it is added to `out`.
  void look(Rows& out, const Rows& queries, const Memory& memory, Finish finish) const;

 private:
  int n_heads_ = 0;
  Linear query_, key_value_, out_;
};

class SelfAttention {
 public:
  SelfAttention() = default;
  SelfAttention(const Tensors& tensors, const std::string& name, int width, int n_heads);

  // Adds to x the attention within each sequence. Sequences are consecutive rows of `normed`, from each of
  // `bounds` to the next.
  void add_to(Rows& x, const Rows& normed, std::span<const int> bounds) const;
  // The same for one position of each sequence: x has only these, the rows `positions` of `normed`.
  void add_at(Rows& x, const Rows& normed, std::span<const int> bounds, std::span<const int> positions) const;

 private:
  int width_ = 0, n_heads_ = 0;
  Linear query_key_value_, query_, key_value_, out_;
};

}  // namespace ddsr::prior

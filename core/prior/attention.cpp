#include "prior/attention.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr::prior {

std::vector<int> equal_bounds(int n, int length) {
  std::vector<int> bounds;
  for (int i = 0; i <= n; ++i) bounds.push_back(i * length);
  return bounds;
}

Memory::Memory(const float* keys, const float* values, int stride, int n, int width, int n_heads)
    : n_(n), head_width_(width / n_heads) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(head_width_));
  for (int head = 0; head < n_heads; ++head) {
    const float *key = keys + head * head_width_, *value = values + head * head_width_;
    keys_.emplace_back(head_width_, n, [=](int k, int j) {
      return scale * key[static_cast<std::ptrdiff_t>(j) * stride + k];
    });
    values_.emplace_back(n, head_width_,
                         [=](int k, int j) { return value[static_cast<std::ptrdiff_t>(k) * stride + j]; });
  }
}

void Memory::look(float* out, int out_stride, const float* queries, int query_stride, int n) const {
  Rows weights(n, keys_.front().padded_out());
  for (std::size_t head = 0; head < keys_.size(); ++head) {
    const auto begin = static_cast<std::ptrdiff_t>(head) * head_width_;
    keys_[head].multiply(weights[0], weights.width, queries + begin, query_stride, n, nullptr, Finish::Store);
    network_kernels().soften(weights[0], n, n_, weights.width);
    values_[head].multiply(out + begin, out_stride, weights[0], weights.width, n, nullptr, Finish::Store);
  }
}

CrossAttention::CrossAttention(const Tensors& tensors, const std::string& name, int width, int n_heads)
    : n_heads_(n_heads),
      query_(tensors, name + ".query", width, width),
      key_value_(tensors, name + ".key_value", width, 2 * width),
      out_(tensors, name + ".out", width, width) {}

Memory CrossAttention::memory(const Rows& context) const {
  const Rows both = key_value_(context);
  return {both[0], both[0] + context.width, both.width, context.n, context.width, n_heads_};
}

void CrossAttention::look(Rows& out, const Rows& queries, const Memory& memory, Finish finish) const {
  Rows mixed(queries.n, queries.width);
  memory.look(mixed[0], mixed.width, queries[0], queries.width, queries.n);
  out_.apply(out, mixed, finish);
}

SelfAttention::SelfAttention(const Tensors& tensors, const std::string& name, int width, int n_heads)
    : width_(width), n_heads_(n_heads), out_(tensors, name + ".out", width, width) {
  const Rows weight = tensors.rows(name + ".query_key_value.weight", 3 * width, width);
  const Floats bias = tensors.vector(name + ".query_key_value.bias", 3 * width);
  const auto part = [&](int begin, int n) {
    Rows rows(n, width);
    std::copy(weight[begin], weight[begin] + static_cast<std::ptrdiff_t>(n) * width, rows.values.begin());
    return Linear(rows,
                  std::span(bias).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n)));
  };
  query_key_value_ = part(0, 3 * width);
  query_ = part(0, width);
  key_value_ = part(width, 2 * width);
}

void SelfAttention::add_to(Rows& x, const Rows& normed, std::span<const int> bounds) const {
  const Rows all = query_key_value_(normed);
  Rows mixed(x.n, width_);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const int begin = bounds[i], length = bounds[i + 1] - begin;
    const float* first = all[begin];
    const Memory memory(first + width_, first + 2 * width_, all.width, length, width_, n_heads_);
    memory.look(mixed[begin], width_, first, all.width, length);
  }
  out_.apply(x, mixed, Finish::Add);
}

void SelfAttention::add_at(Rows& x, const Rows& normed, std::span<const int> bounds,
                           std::span<const int> positions) const {
  Rows asked(x.n, width_);
  for (int row = 0; row < x.n; ++row)
    std::copy_n(normed[positions[static_cast<std::size_t>(row)]], width_, asked[row]);
  const Rows queries = query_(asked), both = key_value_(normed);
  Rows mixed(x.n, width_);
  for (int row = 0; row < x.n; ++row) {
    const int begin = bounds[static_cast<std::size_t>(row)], end = bounds[static_cast<std::size_t>(row) + 1];
    const float* first = both[begin];
    const Memory memory(first, first + width_, both.width, end - begin, width_, n_heads_);
    memory.look(mixed[row], width_, queries[row], width_, 1);
  }
  out_.apply(x, mixed, Finish::Add);
}

}  // namespace ddsr::prior

// Building blocks of the prior's network: weights by name, linear layers, and layer normalisation.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/memory.hpp"
#include "kernels/network.hpp"

namespace ddsr::prior {

using Floats = std::vector<float, AlignedAllocator<float>>;

// Rows of numbers, one after the other.
struct Rows {
  Rows() = default;
  Rows(int n, int width)
      : n(n), width(width), values(static_cast<std::size_t>(n) * static_cast<std::size_t>(width)) {}

  float* operator[](int row) { return values.data() + offset(row); }
  const float* operator[](int row) const { return values.data() + offset(row); }
  void add(const Rows& other);

  int n = 0, width = 0;
  Floats values;

 private:
  std::ptrdiff_t offset(int row) const { return static_cast<std::ptrdiff_t>(row) * width; }
};

// The tensors of a file of weights.
class Tensors {
 public:
  void set(const std::string& name, std::vector<int> shape, std::span<const float> values);
  // Throws std::invalid_argument unless there is a tensor of this name and shape.
  Rows rows(const std::string& name, int n, int width) const;
  Floats vector(const std::string& name, int n) const;

 private:
  struct Tensor {
    std::vector<int> shape;
    std::vector<float> values;
  };
  const Tensor& find(const std::string& name, const std::vector<int>& shape) const;

  std::map<std::string, Tensor> tensors_;
};

// Weights in the layout of the kernels.
class Packed {
 public:
  Packed() = default;
  // `at(k, j)` is the weight from input k to output j.
  template <typename At>
  Packed(int n_inner, int n_out, At at) : n_inner_(n_inner), n_out_(n_out) {
    const int panel = network_kernels().panel;
    panels_.assign(static_cast<std::size_t>(padded_out()) * static_cast<std::size_t>(n_inner), 0.0f);
    for (int j = 0; j < n_out; ++j) {
      float* column = panels_.data() + static_cast<std::ptrdiff_t>(j / panel) * panel * n_inner + j % panel;
      for (int k = 0; k < n_inner; ++k) column[static_cast<std::ptrdiff_t>(k) * panel] = at(k, j);
    }
  }

  int n_inner() const { return n_inner_; }
  int n_out() const { return n_out_; }
  // n_out rounded up to whole panels
  int padded_out() const;
  // rows * weights + bias; the bias is padded like the outputs, or null.
  void multiply(float* out, int out_stride, const float* rows, int row_stride, int n_rows, const float* bias,
                Finish finish) const;

 private:
  int n_inner_ = 0, n_out_ = 0;
  Floats panels_;
};

class Linear {
 public:
  Linear() = default;
  // weight: (n_out, n_in)
  Linear(const Rows& weight, std::span<const float> bias);
  Linear(const Tensors& tensors, const std::string& name, int n_in, int n_out);

  void apply(Rows& out, const Rows& in, Finish finish = Finish::Store) const;
  Rows operator()(const Rows& in, Finish finish = Finish::Store) const;

 private:
  Packed weights_;
  Floats bias_;
};

class Norm {
 public:
  Norm() = default;
  Norm(const Tensors& tensors, const std::string& name, int width);
  void apply(Rows& out, const Rows& in) const;
  Rows operator()(const Rows& in) const;

 private:
  Floats weight_, bias_;
};

// Adds narrow(gelu(widen(norm(x)))) to x.
class FeedForward {
 public:
  FeedForward() = default;
  FeedForward(const Tensors& tensors, const std::string& layer, int width, int ratio);
  void add_to(Rows& x) const;

 private:
  Norm norm_;
  Linear widen_, narrow_;
};

}  // namespace ddsr::prior

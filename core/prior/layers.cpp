#include "prior/layers.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ddsr::prior {

namespace {

std::string shape_text(const std::vector<int>& shape) {
  std::string text;
  for (int n : shape) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

}  // namespace

void Rows::add(const Rows& other) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
}

void Tensors::set(const std::string& name, std::vector<int> shape, std::span<const float> values) {
  tensors_[name] = {std::move(shape), {values.begin(), values.end()}};
}

const Tensors::Tensor& Tensors::find(const std::string& name, const std::vector<int>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw std::invalid_argument("it has no weights " + name);
  if (found->second.shape != shape)
    throw std::invalid_argument("its weights " + name + " have the shape " + shape_text(found->second.shape) +
                                " instead of " + shape_text(shape));
  return found->second;
}

Rows Tensors::rows(const std::string& name, int n, int width) const {
  const Tensor& tensor = find(name, {n, width});
  Rows rows(n, width);
  std::copy(tensor.values.begin(), tensor.values.end(), rows.values.begin());
  return rows;
}

Floats Tensors::vector(const std::string& name, int n) const {
  const Tensor& tensor = find(name, {n});
  return {tensor.values.begin(), tensor.values.end()};
}

int Packed::padded_out() const {
  const int panel = network_kernels().panel;
  return (n_out_ + panel - 1) / panel * panel;
}

void Packed::multiply(float* out, int out_stride, const float* rows, int row_stride, int n_rows,
                      const float* bias, Finish finish) const {
  network_kernels().multiply({out, static_cast<std::size_t>(out_stride), rows,
                              static_cast<std::size_t>(row_stride), n_rows, n_inner_, n_out_, panels_.data(),
                              bias, finish});
}

Linear::Linear(const Rows& weight, std::span<const float> bias)
    : weights_(weight.width, weight.n, [&](int k, int j) { return weight[j][k]; }) {
  bias_.assign(static_cast<std::size_t>(weights_.padded_out()), 0.0f);
  std::copy(bias.begin(), bias.end(), bias_.begin());
}

Linear::Linear(const Tensors& tensors, const std::string& name, int n_in, int n_out)
    : Linear(tensors.rows(name + ".weight", n_out, n_in), tensors.vector(name + ".bias", n_out)) {}

void Linear::apply(Rows& out, const Rows& in, Finish finish) const {
  weights_.multiply(out.values.data(), out.width, in.values.data(), in.width, in.n, bias_.data(), finish);
}

Rows Linear::operator()(const Rows& in, Finish finish) const {
  Rows out(in.n, weights_.n_out());
  apply(out, in, finish);
  return out;
}

Norm::Norm(const Tensors& tensors, const std::string& name, int width)
    : weight_(tensors.vector(name + ".weight", width)), bias_(tensors.vector(name + ".bias", width)) {}

void Norm::apply(Rows& out, const Rows& in) const {
  network_kernels().normalise(out.values.data(), in.values.data(), weight_.data(), bias_.data(), in.n,
                              in.width);
}

Rows Norm::operator()(const Rows& in) const {
  Rows out(in.n, in.width);
  apply(out, in);
  return out;
}

FeedForward::FeedForward(const Tensors& tensors, const std::string& layer, int width, int ratio)
    : norm_(tensors, layer + ".last_norm", width),
      widen_(tensors, layer + ".feed_forward.widen", width, ratio * width),
      narrow_(tensors, layer + ".feed_forward.narrow", ratio * width, width) {}

void FeedForward::add_to(Rows& x) const { narrow_.apply(x, widen_(norm_(x), Finish::Gelu), Finish::Add); }

}  // namespace ddsr::prior

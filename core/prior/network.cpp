#include "prior/network.hpp"

namespace ddsr::prior {

RowLayer::RowLayer(const Tensors& tensors, const std::string& name, int width)
    : row_norm(tensors, name + ".row_norm", width),
      star_norm(tensors, name + ".star_norm", width),
      row_attention(tensors, name + ".row_attention", width, N_ENCODER_HEADS),
      star(tensors, name + ".star", width),
      feed_forward(tensors, name, width, 2) {}

MixingLayer::MixingLayer(const Tensors& tensors, const std::string& name, int width, int n_heads)
    : self_norm(tensors, name + ".self_norm", width),
      self_attention(tensors, name + ".self_attention", width, n_heads),
      feed_forward(tensors, name, width, 4) {}

DenoiserLayer::DenoiserLayer(const Tensors& tensors, const std::string& name, int width, int n_heads)
    : self_norm(tensors, name + ".self_norm", width),
      cross_norm(tensors, name + ".cross_norm", width),
      self_attention(tensors, name + ".self_attention", width, n_heads),
      cross_attention(tensors, name + ".cross_attention", width, n_heads),
      feed_forward(tensors, name, width, 4) {}

Denoiser::Denoiser(const Tensors& tensors, const Sizes& sizes)
    : fixed(tensors.rows("denoiser.fixed", sizes.n_fixed() + 1, sizes.width)),
      variable_codes(tensors.rows("denoiser.variable_codes", sizes.max_variables, sizes.width)),
      positions(tensors.rows("denoiser.positions", sizes.max_length, sizes.width)),
      parent_positions(tensors.rows("denoiser.parent_positions", sizes.max_length + 1, sizes.width)),
      sides(tensors.rows("denoiser.sides", N_SIDES, sizes.width)),
      variable_in(tensors, "denoiser.variable_in", sizes.width, sizes.width),
      parent_in(tensors, "denoiser.parent_in", sizes.width, sizes.width),
      variable_out(tensors, "denoiser.variable_out", sizes.width, sizes.width),
      norm(tensors, "denoiser.norm", sizes.width),
      fixed_out(tensors.rows("denoiser.fixed_out.weight", sizes.n_fixed(), sizes.width)),
      point(tensors.rows("denoiser.point.weight", sizes.width, sizes.width)),
      fixed_out_bias(tensors.vector("denoiser.fixed_out.bias", sizes.n_fixed())),
      point_bias(tensors.vector("denoiser.point.bias", sizes.width)) {
  for (int i = 0; i < sizes.n_layers; ++i)
    layers.emplace_back(tensors, "denoiser.layers." + std::to_string(i), sizes.width, sizes.n_heads);
}

}  // namespace ddsr::prior

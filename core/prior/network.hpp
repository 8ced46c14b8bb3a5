// The weights of a prior: the encoder of a data set and the denoiser of expressions, as in
// ddsr/generators/prior/encoder.py and denoiser.py, which define and train them.
#pragma once

#include <vector>

#include "prior/attention.hpp"
#include "prior/layers.hpp"

namespace ddsr::prior {

struct Sizes {
  int max_variables, max_length, cell_width, n_row_layers, n_row_latents, n_variable_latents, width, n_layers,
      n_memory_layers, n_heads;
  std::vector<int> arities;  // of the tokens other than variables
  int n_fixed() const { return static_cast<int>(arities.size()); }
};

inline constexpr int N_VALUE_FEATURES = 13, N_TARGET_FEATURES = 15, N_ENCODER_HEADS = 4, N_SIDES = 3;

// One encoded data set.
struct Encoding {
  Rows memory;     // vectors that the denoiser attends to
  Rows variables;  // a vector for each variable
};

// Attention within a row of data: the target attends to all vectors, and the result is added to each.
class StarAttention {
 public:
  StarAttention(const Tensors& tensors, const std::string& name, int width);
  // `normed` has the columns one after the other, the target first, each with n_rows rows.
  void add_to(Rows& cells, const Rows& normed, int n_rows) const;

 private:
  Linear query_, key_value_, tell_;
};

struct RowLayer {
  RowLayer(const Tensors& tensors, const std::string& name, int width);
  Norm row_norm, star_norm;
  SelfAttention row_attention;
  StarAttention star;
  FeedForward feed_forward;
};

struct MixingLayer {
  MixingLayer(const Tensors& tensors, const std::string& name, int width, int n_heads);
  Norm self_norm;
  SelfAttention self_attention;
  FeedForward feed_forward;
};

class Encoder {
 public:
  Encoder(const Tensors& tensors, const Sizes& sizes);
  // Encodes one sample of n_rows rows: features of the target (n_rows, N_TARGET_FEATURES), and of the
  // variables (n_variables * n_rows, N_VALUE_FEATURES), one variable after the other.
  Encoding encode(const Rows& target, const Rows& values) const;

 private:
  Rows read(const Rows& target, const Rows& values) const;
  Rows pool(const Rows& queries, const Rows& cells, int column, int n_rows) const;

  Linear read_value_, read_target_, cell_, widen_, name_;
  Floats is_target_, is_variables_;
  std::vector<RowLayer> layers_;
  Norm norm_, memory_norm_;
  Rows target_queries_, variable_queries_, latent_codes_;
  CrossAttention pool_;
  std::vector<MixingLayer> memory_layers_;
};

struct DenoiserLayer {
  DenoiserLayer(const Tensors& tensors, const std::string& name, int width, int n_heads);
  Norm self_norm, cross_norm;
  SelfAttention self_attention;
  CrossAttention cross_attention;
  FeedForward feed_forward;
};

struct Denoiser {
  Denoiser(const Tensors& tensors, const Sizes& sizes);
  Rows fixed, variable_codes, positions, parent_positions, sides;
  Linear variable_in, parent_in, variable_out;
  std::vector<DenoiserLayer> layers;
  Norm norm;
  Rows fixed_out, point;  // weights
  Floats fixed_out_bias, point_bias;
};

struct Network {
  Network(const Tensors& tensors, Sizes given)
      : sizes(std::move(given)), encoder(tensors, sizes), denoiser(tensors, sizes) {}
  Sizes sizes;
  Encoder encoder;
  Denoiser denoiser;
};

}  // namespace ddsr::prior

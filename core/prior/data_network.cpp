#include "prior/data_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parallel.hpp"
#include "prior/parents.hpp"

namespace ddsr::prior {

namespace {

// Sequences are cut to multiples of this length, as in ddsr/generators/prior/next_token.py: the masked
// positions at the end are part of what the network was trained on.
constexpr int LENGTH_STEP = 4;
// Positions per call: enough to use the weights often once they are loaded, and few enough for the caches.
constexpr int CHUNK_POSITIONS = 384;

}  // namespace

DataNetwork::DataNetwork(std::shared_ptr<const Network> network, const Encoding& encoding,
                         std::vector<int> known_as, float unknown_logit, int max_length)
    : network_(std::move(network)), known_as_(std::move(known_as)), max_length_(max_length) {
  const Denoiser& denoiser = network_->denoiser;
  const int n_variables = encoding.variables.n, width = network_->sizes.width;
  const int n_before = denoiser.fixed.n;  // the fixed tokens and MASK
  Rows named = encoding.variables;
  for (int variable = 0; variable < n_variables; ++variable)
    for (int i = 0; i < width; ++i) named[variable][i] += denoiser.variable_codes[variable][i];
  table_ = Rows(n_before + n_variables, width);
  std::copy(denoiser.fixed.values.begin(), denoiser.fixed.values.end(), table_.values.begin());
  const Rows of_variables = denoiser.variable_in(encoding.variables);
  for (int variable = 0; variable < n_variables; ++variable)
    for (int i = 0; i < width; ++i)
      table_[n_before + variable][i] = of_variables[variable][i] + denoiser.variable_codes[variable][i];
  parents_ = denoiser.parent_in(table_);
  for (const DenoiserLayer& layer : denoiser.layers)
    memories_.push_back(layer.cross_attention.memory(encoding.memory));
  head_ = make_head(denoiser.variable_out(named), unknown_logit);
}

// The logit of a variable compares a position with its vector: (point x + b) · name / √D. That is linear in
// x, as the logits of the fixed tokens are.
Linear DataNetwork::make_head(const Rows& names, float unknown_logit) const {
  const Denoiser& denoiser = network_->denoiser;
  const int width = network_->sizes.width, n_fixed = network_->sizes.n_fixed();
  const float scale = 1.0f / std::sqrt(static_cast<float>(width));
  Rows weight(n_tokens(), width);
  Floats bias(static_cast<std::size_t>(n_tokens()));
  for (int token = 0; token < n_tokens(); ++token) {
    const int known = known_as_[static_cast<std::size_t>(token)];
    float& own_bias = bias[static_cast<std::size_t>(token)];
    std::fill_n(weight[token], width, 0.0f);
    if (known < 0) {
      own_bias = unknown_logit;
    } else if (known < n_fixed) {
      std::copy_n(denoiser.fixed_out[known], width, weight[token]);
      own_bias = denoiser.fixed_out_bias[static_cast<std::size_t>(known)];
    } else {
      const float* name = names[known - n_fixed];
      own_bias = 0.0f;
      for (int i = 0; i < width; ++i) {
        const float factor = scale * name[i];
        for (int k = 0; k < width; ++k) weight[token][k] += factor * denoiser.point[i][k];
        own_bias += factor * denoiser.point_bias[static_cast<std::size_t>(i)];
      }
    }
  }
  return {weight, bias};
}

// Row of the tables, in which MASK is between the fixed tokens and the variables. It also stands for tokens
// that the prior does not know.
int DataNetwork::row_of(TokenId id) const {
  const int n_fixed = network_->sizes.n_fixed();
  const int known = id < 0 ? -1 : known_as_[static_cast<std::size_t>(id)];
  return known < 0 ? n_fixed : (known < n_fixed ? known : known + 1);
}

void DataNetwork::embed(std::span<const TokenId> beginning, int length, float* out) const {
  const Sizes& sizes = network_->sizes;
  const Denoiser& denoiser = network_->denoiser;
  const int n_fixed = sizes.n_fixed();
  std::vector<int> rows(static_cast<std::size_t>(length), n_fixed), arities;
  for (std::size_t i = 0; i < beginning.size(); ++i) rows[i] = row_of(beginning[i]);
  for (std::size_t i = 0; i < beginning.size() && rows[i] != n_fixed; ++i)
    arities.push_back(rows[i] < n_fixed ? sizes.arities[static_cast<std::size_t>(rows[i])] : 0);
  const std::vector<Place> places = find_places(arities, length);
  for (int position = 0; position < length; ++position, out += sizes.width) {
    const auto [parent, side] = places[static_cast<std::size_t>(position)];
    const bool is_known = parent != UNKNOWN_PARENT;
    const float* token = table_[rows[static_cast<std::size_t>(position)]];
    const float* parent_token = parents_[is_known ? rows[static_cast<std::size_t>(parent)] : n_fixed];
    const float* parent_position = denoiser.parent_positions[is_known ? parent : sizes.max_length];
    const float *own_position = denoiser.positions[position], *of_side = denoiser.sides[side];
    for (int i = 0; i < sizes.width; ++i)
      out[i] = token[i] + parent_token[i] + own_position[i] + parent_position[i] + of_side[i];
  }
}

// In the last layer, only the position after each beginning counts.
void DataNetwork::predict(std::span<const std::span<const TokenId>> beginnings, float* logits) const {
  const Denoiser& denoiser = network_->denoiser;
  const int n = static_cast<int>(beginnings.size()), width = network_->sizes.width;
  std::vector<int> bounds = {0}, positions;
  for (const auto beginning : beginnings) {
    positions.push_back(bounds.back() + static_cast<int>(beginning.size()));
    bounds.push_back(bounds.back() + shown_length(beginning));
  }
  Rows x(bounds.back(), width), asked(n, width);
  for (std::size_t row = 0; row < beginnings.size(); ++row)
    embed(beginnings[row], shown_length(beginnings[row]), x[bounds[row]]);
  for (std::size_t number = 0; number < denoiser.layers.size(); ++number) {
    const DenoiserLayer& layer = denoiser.layers[number];
    const Rows normed = layer.self_norm(x);
    if (number + 1 < denoiser.layers.size()) {
      layer.self_attention.add_to(x, normed, bounds);
    } else {
      for (int row = 0; row < n; ++row)
        std::copy_n(x[positions[static_cast<std::size_t>(row)]], width, asked[row]);
      layer.self_attention.add_at(asked, normed, bounds, positions);
      std::swap(x, asked);
    }
    const Rows queries = layer.cross_attention.queries(layer.cross_norm(x));
    layer.cross_attention.look(x, queries, memories_[number], Finish::Add);
    layer.feed_forward.add_to(x);
  }
  const Rows found = head_(denoiser.norm(x));
  std::copy(found.values.begin(), found.values.end(), logits);
}

// Number of positions that the network sees: with the masked ones at the end, up to a multiple of the step.
int DataNetwork::shown_length(std::span<const TokenId> beginning) const {
  const int needed = static_cast<int>(beginning.size()) + 1;
  return std::min((needed + LENGTH_STEP - 1) / LENGTH_STEP * LENGTH_STEP, max_length_);
}

void DataNetwork::next_logits(std::span<const std::span<const TokenId>> beginnings, float* logits,
                              int n_threads) const {
  std::vector<std::size_t> bounds;  // of the chunks
  int n_positions = CHUNK_POSITIONS;
  for (std::size_t i = 0; i < beginnings.size(); ++i) {
    n_positions += shown_length(beginnings[i]);
    if (n_positions <= CHUNK_POSITIONS) continue;
    bounds.push_back(i);
    n_positions = shown_length(beginnings[i]);
  }
  bounds.push_back(beginnings.size());
  parallel_with(bounds.size() - 1, n_threads, 1, [&] {
    return [&](std::size_t chunk) {
      const std::size_t begin = bounds[chunk];
      predict(beginnings.subspan(begin, bounds[chunk + 1] - begin),
              logits + begin * static_cast<std::size_t>(n_tokens()));
    };
  });
}

}  // namespace ddsr::prior

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "parallel.hpp"
#include "prior/distinct_draws.hpp"

namespace ddsr {

namespace {

using prior::DataNetwork;
using prior::DistinctDraws;
using prior::Encoding;
using prior::Network;
using prior::Rows;
using prior::Sizes;
using Weights = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void construct_network(Network* self, const nb::dict& weights, const std::vector<int>& arities,
                       int max_variables, int max_length, int cell_width, int n_row_layers, int n_row_latents,
                       int n_variable_latents, int width, int n_layers, int n_memory_layers, int n_heads) {
  prior::Tensors tensors;
  for (const auto& [name, array] : weights) {
    const auto values = nb::cast<Weights>(array);
    std::vector<int> shape;
    for (std::size_t i = 0; i < values.ndim(); ++i) shape.push_back(static_cast<int>(values.shape(i)));
    tensors.set(nb::cast<std::string>(name), shape, {values.data(), values.size()});
  }
  new (self) Network(tensors, {max_variables, max_length, cell_width, n_row_layers, n_row_latents,
                               n_variable_latents, width, n_layers, n_memory_layers, n_heads, arities});
}

// Row by row, without the first dimension.
Rows rows_of(const float* values, std::size_t n, std::size_t width) {
  Rows rows(static_cast<int>(n), static_cast<int>(width));
  std::copy_n(values, n * width, rows.values.begin());
  return rows;
}

// Latents of all samples together, and the mean of the variables' vectors.
Encoding join(const std::vector<Encoding>& samples) {
  const Encoding& first = samples.front();
  const int n = static_cast<int>(samples.size());
  Encoding joined{Rows(n * first.memory.n, first.memory.width),
                  Rows(first.variables.n, first.variables.width)};
  for (int i = 0; i < n; ++i) {
    const prior::Floats& memory = samples[static_cast<std::size_t>(i)].memory.values;
    std::copy(memory.begin(), memory.end(), joined.memory[i * first.memory.n]);
  }
  for (std::size_t k = 0; k < joined.variables.values.size(); ++k) {
    float sum = 0.0f;
    for (const Encoding& each : samples) sum += each.variables.values[k];
    joined.variables.values[k] = sum / static_cast<float>(n);
  }
  return joined;
}

void construct_of_data(DataNetwork* self, std::shared_ptr<const Network> network,
                       const Input<float, 3>& target, const Input<float, 4>& values,
                       const std::vector<int>& known_as, float unknown_logit, int max_length, int n_threads) {
  const std::size_t n_samples = values.shape(0), n_variables = values.shape(1), n_rows = values.shape(2);
  if (n_samples == 0 || n_rows == 0 || target.shape(0) != n_samples || target.shape(1) != n_rows ||
      target.shape(2) != prior::N_TARGET_FEATURES || values.shape(3) != prior::N_VALUE_FEATURES)
    refuse("the features of the target and of the variables have other shapes");
  const Sizes& sizes = network->sizes;
  if (n_variables > static_cast<std::size_t>(sizes.max_variables)) refuse("there are too many variables");
  if (max_length < 1 || max_length > sizes.max_length) refuse("the prior has no such max_length");
  for (int id : known_as)
    if (id >= sizes.n_fixed() + static_cast<int>(n_variables)) refuse("the prior has no such token");
  std::vector<Encoding> samples(n_samples);
  const std::size_t n_cells = n_variables * n_rows;
  {
    nb::gil_scoped_release released;
    parallel_with(n_samples, n_threads, 1, [&] {
      return [&](std::size_t i) {
        samples[i] = network->encoder.encode(
            rows_of(target.data() + i * n_rows * target.shape(2), n_rows, target.shape(2)),
            rows_of(values.data() + i * n_cells * values.shape(3), n_cells, values.shape(3)));
      };
    });
    new (self) DataNetwork(network, join(samples), known_as, unknown_logit, max_length);
  }
}

// The known tokens at the beginning of each row, which must be shorter than an expression may be.
std::vector<std::span<const TokenId>> beginnings_of(const OwnRows& rows, int n_tokens, std::size_t most) {
  std::vector<std::span<const TokenId>> found;
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const auto row = rows[i];
    const auto end = std::find_if(row.begin(), row.end(), [](TokenId id) { return id < 0; });
    found.emplace_back(row.begin(), end);
    if (found.back().size() > most) refuse("row " + std::to_string(i) + " is too long");
    for (TokenId id : found.back())
      if (id >= n_tokens) refuse("row " + std::to_string(i) + " has an unknown token");
  }
  return found;
}

auto next_logits(const DataNetwork& network, const TokenRows& token_rows, int n_threads) {
  const OwnRows rows(token_rows);
  const auto n_tokens = static_cast<std::size_t>(network.n_tokens());
  const auto beginnings =
      beginnings_of(rows, network.n_tokens(), static_cast<std::size_t>(network.max_length() - 1));
  std::vector<float> logits(rows.n_rows * n_tokens);
  {
    nb::gil_scoped_release released;
    network.next_logits(beginnings, logits.data(), n_threads);
  }
  return to_numpy(std::move(logits), {rows.n_rows, n_tokens});
}

void check_vocabulary(const Grammar& grammar, const DataNetwork& network) {
  if (grammar.vocabulary.size() != network.n_tokens() || grammar.rules.max_length > network.max_length())
    refuse("the grammar has other tokens or longer expressions than the prior was given");
}

auto token_log_probs(const DataNetwork& network, const Grammar& grammar, const TokenRows& token_rows,
                     int n_threads) {
  check_vocabulary(grammar, network);
  const OwnRows rows(token_rows);
  const auto expressions =
      beginnings_of(rows, network.n_tokens(), static_cast<std::size_t>(network.max_length()));
  std::vector<double> values(rows.n_rows * rows.length, 0.0);
  {
    nb::gil_scoped_release released;
    const auto found = prior::token_log_probs(grammar, network, expressions, n_threads);
    for (std::size_t i = 0; i < found.size(); ++i)
      std::copy(found[i].begin(), found[i].end(),
                values.begin() + static_cast<std::ptrdiff_t>(i * rows.length));
  }
  return to_numpy(std::move(values), {rows.n_rows, rows.length});
}

void construct_draws(DistinctDraws* self, const Grammar& grammar, std::shared_ptr<const DataNetwork> network,
                     const std::vector<int>& places, std::uint64_t seed) {
  check_vocabulary(grammar, *network);
  if (static_cast<int>(places.size()) != network->n_tokens()) refuse("each token needs a place");
  new (self) DistinctDraws(grammar, std::move(network), places, seed);
}

auto next_draws(DistinctDraws& draws, std::size_t n, double seconds, int n_threads) {
  const auto length = static_cast<std::size_t>(draws.max_length());
  std::vector<TokenId> tokens;
  std::size_t n_found = 0;
  {
    nb::gil_scoped_release released;
    const auto found = draws.next(n, seconds, n_threads);
    n_found = found.size();
    tokens.assign(n_found * length, PAD);
    for (std::size_t i = 0; i < n_found; ++i)
      std::copy(found[i].begin(), found[i].end(), tokens.begin() + static_cast<std::ptrdiff_t>(i * length));
  }
  return to_numpy(std::move(tokens), {n_found, length});
}

}  // namespace

void bind_prior(nb::module_& module) {
  nb::class_<Network>(module, "PriorNetwork")
      .def("__init__", &construct_network, nb::arg("weights"), nb::arg("arities"), nb::arg("max_variables"),
           nb::arg("max_length"), nb::arg("cell_width"), nb::arg("n_row_layers"), nb::arg("n_row_latents"),
           nb::arg("n_variable_latents"), nb::arg("width"), nb::arg("n_layers"), nb::arg("n_memory_layers"),
           nb::arg("n_heads"));
  nb::class_<DataNetwork>(module, "PriorOfData")
      .def("__init__", &construct_of_data, nb::arg("network"), nb::arg("target"), nb::arg("values"),
           nb::arg("known_as"), nb::arg("unknown_logit"), nb::arg("max_length"), nb::arg("n_threads"))
      .def("next_logits", &next_logits, nb::arg("beginnings"), nb::arg("n_threads"))
      .def("token_log_probs", &token_log_probs, nb::arg("grammar"), nb::arg("tokens"), nb::arg("n_threads"));
  nb::class_<DistinctDraws>(module, "PriorDraws")
      .def("__init__", &construct_draws, nb::arg("grammar"), nb::arg("network"), nb::arg("places"),
           nb::arg("seed"), nb::keep_alive<1, 2>())
      .def("next", &next_draws, nb::arg("n"), nb::arg("seconds"), nb::arg("n_threads"))
      .def_prop_ro("n_continued", &DistinctDraws::n_continued);
}

}  // namespace ddsr

#include <algorithm>

#include "prior/network.hpp"

namespace ddsr::prior {

namespace {

Rows part(const Rows& rows, int begin, int n) {
  Rows taken(n, rows.width);
  std::copy_n(rows[begin], static_cast<std::ptrdiff_t>(n) * rows.width, taken[0]);
  return taken;
}

void add_vector(float* row, const Floats& vector) {
  for (std::size_t i = 0; i < vector.size(); ++i) row[i] += vector[i];
}

// gelu(x), by a product with the identity: the kernels have it as the end of a product only.
Rows gelu(const Rows& x) {
  const Packed identity(x.width, x.width, [](int k, int j) { return k == j ? 1.0f : 0.0f; });
  Rows out(x.n, x.width);
  identity.multiply(out[0], out.width, x[0], x.width, x.n, nullptr, Finish::Gelu);
  return out;
}

}  // namespace

StarAttention::StarAttention(const Tensors& tensors, const std::string& name, int width)
    : query_(tensors, name + ".query", width, width),
      key_value_(tensors, name + ".key_value", width, 2 * width),
      tell_(tensors, name + ".tell", 2 * width, width) {}

void StarAttention::add_to(Rows& cells, const Rows& normed, int n_rows) const {
  const int width = cells.width, n_columns = cells.n / n_rows;
  const Rows target = part(normed, 0, n_rows);
  const Rows queries = query_(target), both = key_value_(normed);
  Rows known(n_rows, 2 * width);  // the target's vector, and what it has seen
  for (int row = 0; row < n_rows; ++row) {
    std::copy_n(target[row], width, known[row]);
    const Memory memory(both[row], both[row] + width, n_rows * both.width, n_columns, width, N_ENCODER_HEADS);
    memory.look(known[row] + width, known.width, queries[row], width, 1);
  }
  const Rows told = tell_(known);
  for (int cell = 0; cell < cells.n; ++cell)
    for (int i = 0; i < width; ++i) cells[cell][i] += told[cell % n_rows][i];
}

Encoder::Encoder(const Tensors& tensors, const Sizes& sizes)
    : read_value_(tensors, "encoder.read_value", N_VALUE_FEATURES, sizes.cell_width),
      read_target_(tensors, "encoder.read_target", N_TARGET_FEATURES, 2 * sizes.cell_width),
      cell_(tensors, "encoder.cell", sizes.cell_width, sizes.cell_width),
      widen_(tensors, "encoder.widen", sizes.cell_width, sizes.width),
      name_(tensors, "encoder.name", sizes.n_variable_latents * sizes.width, sizes.width),
      is_target_(tensors.vector("encoder.is_target", sizes.cell_width)),
      is_variables_(tensors.vector("encoder.is_variables", sizes.width)),
      norm_(tensors, "encoder.norm", sizes.cell_width),
      memory_norm_(tensors, "encoder.memory_norm", sizes.width),
      target_queries_(tensors.rows("encoder.target_queries", sizes.n_row_latents, sizes.cell_width)),
      variable_queries_(tensors.rows("encoder.variable_queries", sizes.n_variable_latents, sizes.cell_width)),
      latent_codes_(tensors.rows("encoder.latent_codes", sizes.n_variable_latents, sizes.width)),
      pool_(tensors, "encoder.pool", sizes.cell_width, N_ENCODER_HEADS) {
  for (int i = 0; i < sizes.n_row_layers; ++i)
    layers_.emplace_back(tensors, "encoder.layers." + std::to_string(i), sizes.cell_width);
  for (int i = 0; i < sizes.n_memory_layers; ++i)
    memory_layers_.emplace_back(tensors, "encoder.memory_layers." + std::to_string(i), sizes.width,
                                sizes.n_heads);
}

Rows Encoder::read(const Rows& target, const Rows& values) const {
  const Rows of_rows = read_target_(target), of_values = read_value_(values);
  const int n_rows = target.n, width = of_values.width;
  Rows cells(n_rows + values.n, width);
  for (int row = 0; row < n_rows; ++row) {
    std::copy_n(of_rows[row], width, cells[row]);
    add_vector(cells[row], is_target_);
  }
  for (int cell = 0; cell < values.n; ++cell)
    for (int i = 0; i < width; ++i)
      cells[n_rows + cell][i] = of_values[cell][i] + of_rows[cell % n_rows][width + i];
  return cell_(gelu(cells));
}

Rows Encoder::pool(const Rows& queries, const Rows& cells, int column, int n_rows) const {
  Rows latents(queries.n, queries.width);
  pool_.look(latents, queries, pool_.memory(part(cells, column * n_rows, n_rows)), Finish::Store);
  return widen_(latents);
}

Encoding Encoder::encode(const Rows& target, const Rows& values) const {
  const int n_rows = target.n, n_variables = values.n / n_rows;
  Rows cells = read(target, values);
  const std::vector<int> columns = equal_bounds(1 + n_variables, n_rows);
  for (const RowLayer& layer : layers_) {
    layer.row_attention.add_to(cells, layer.row_norm(cells), columns);
    layer.star.add_to(cells, layer.star_norm(cells), n_rows);
    layer.feed_forward.add_to(cells);
  }
  cells = norm_(cells);
  const int n_latents = variable_queries_.n, n_of_target = target_queries_.n;
  const int width = static_cast<int>(is_variables_.size());
  Rows memory(n_of_target + n_variables * n_latents, width);
  const Rows of_target = pool(pool_.queries(target_queries_), cells, 0, n_rows);
  std::copy(of_target.values.begin(), of_target.values.end(), memory.values.begin());
  const Rows queries = pool_.queries(variable_queries_);
  for (int variable = 0; variable < n_variables; ++variable) {
    const Rows of_variable = pool(queries, cells, 1 + variable, n_rows);
    for (int latent = 0; latent < n_latents; ++latent) {
      float* row = memory[n_of_target + variable * n_latents + latent];
      std::copy_n(of_variable[latent], width, row);
      add_vector(row, is_variables_);
      for (int i = 0; i < width; ++i) row[i] += latent_codes_[latent][i];
    }
  }
  for (const MixingLayer& layer : memory_layers_) {
    layer.self_attention.add_to(memory, layer.self_norm(memory), equal_bounds(1, memory.n));
    layer.feed_forward.add_to(memory);
  }
  memory = memory_norm_(memory);
  Rows of_variables(n_variables, n_latents * width);
  std::copy(memory[n_of_target], memory[n_of_target] + of_variables.values.size(), of_variables[0]);
  return {std::move(memory), name_(of_variables)};
}

}  // namespace ddsr::prior

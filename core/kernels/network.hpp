// Loops of the prior's network in single precision, compiled for each instruction set like those of
// kernels.hpp. A row's results do not depend on the other rows of a call.
#pragma once

#include <cstddef>

namespace ddsr {

// What is done with a product: stored, added to what is there, or stored after the function gelu.
enum class Finish { Store, Add, Gelu };

// out = rows * weights + bias. Weights are packed in panels of `panel` columns, each row by row, and padded
// with zeros: (panels, n_inner, panel).
struct RowProduct {
  float* out;
  std::size_t out_stride;
  const float* rows;
  std::size_t row_stride;
  int n_rows, n_inner, n_out;
  const float* panels;
  const float* bias;  // (panels, panel); null for none
  Finish finish;
};

struct NetworkKernels {
  int panel;  // at most MOST_PANEL

  void (*multiply)(const RowProduct& product);

  // Standardises each row of `width` numbers, times weight, plus bias.
  void (*normalise)(float* out, const float* rows, const float* weight, const float* bias, int n_rows,
                    int width);

  // Replaces each row of n numbers by its softmax. There is room for `stride` numbers, a multiple of `panel`,
  // and those after the n become 0.
  void (*soften)(float* rows, int n_rows, int n, int stride);
};

inline constexpr int MOST_PANEL = 32;

// Those of the chosen instruction set.
const NetworkKernels& network_kernels();

}  // namespace ddsr

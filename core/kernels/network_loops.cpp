// Compiled once for each instruction set, into the namespace named by DDSR_ISA.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/exponential.hpp"
#include "kernels/network.hpp"
#include "kernels/perturbation.hpp"

namespace ddsr::DDSR_ISA {
namespace {

// Numbers per register, and rows of a block: two registers of sums per row, and as many rows as registers are
// left for.
#if defined(__AVX512F__)
constexpr int WIDTH = 16, BLOCK_ROWS = 12;
#elif defined(__AVX2__)
constexpr int WIDTH = 8, BLOCK_ROWS = 6;
#elif defined(__aarch64__)
constexpr int WIDTH = 4, BLOCK_ROWS = 12;
#else
constexpr int WIDTH = 4, BLOCK_ROWS = 5;
#endif
constexpr int PANEL = 2 * WIDTH;
static_assert(PANEL <= MOST_PANEL);

// An extension of GCC and Clang: arithmetic on whole registers. The sums have to stay in registers, which
// loops over arrays do not ensure.
using Register [[gnu::vector_size(4 * WIDTH)]] = float;
using Bits [[gnu::vector_size(4 * WIDTH)]] = std::uint32_t;

inline Register load(const float* numbers) {
  Register loaded;
  std::memcpy(&loaded, numbers, sizeof loaded);
  return loaded;
}

inline void store(float* numbers, const Register& sums) { std::memcpy(numbers, &sums, sizeof sums); }

inline Register exponential(Register x) {
  constexpr float MOST = 87.0f;
  x = x > MOST ? Register{} + MOST : x;
  x = x < -MOST ? Register{} - MOST : x;
  return exp_of_moderate<Register, Bits>(x);
}

// x times the normal distribution function, by the approximation with tanh.
inline Register gelu(Register x) {
  return x / (1.0f + exponential(-1.5957691216f * (x + 0.044715f * x * x * x)));
}

// Writes the sums of one row and panel, of which n columns exist.
inline void write_row(float* __restrict out, const float* sums, int n, Finish finish) {
  if (finish == Finish::Add)
    for (int j = 0; j < n; ++j) out[j] += perturbed(sums[j], sums[j]);
  else if (PERTURBATION == 0 && n == PANEL)
    std::memcpy(out, sums, PANEL * sizeof(float));
  else
    for (int j = 0; j < n; ++j) out[j] = perturbed(sums[j], sums[j]);
}

template <int ROWS>
void multiply_block(const RowProduct& product, int first_row, int panel) {
  const std::size_t stride = product.row_stride;
  const float* rows = product.rows + static_cast<std::size_t>(first_row) * stride;
  const float* weights =
      product.panels + static_cast<std::size_t>(panel) * static_cast<std::size_t>(product.n_inner) * PANEL;
  Register left[ROWS], right[ROWS];
  for (int row = 0; row < ROWS; ++row) left[row] = right[row] = Register{};
  for (int k = 0; k < product.n_inner; ++k) {
    const Register first = load(weights + k * PANEL), second = load(weights + k * PANEL + WIDTH);
    for (int row = 0; row < ROWS; ++row) {
      const float factor = rows[static_cast<std::size_t>(row) * stride + static_cast<std::size_t>(k)];
      left[row] += factor * first;
      right[row] += factor * second;
    }
  }
  const int begin = panel * PANEL;
  float sums[ROWS * PANEL];
  for (int row = 0; row < ROWS; ++row) {
    if (product.bias != nullptr) {
      left[row] += load(product.bias + begin);
      right[row] += load(product.bias + begin + WIDTH);
    }
    const bool is_gelu = product.finish == Finish::Gelu;
    store(sums + row * PANEL, is_gelu ? gelu(left[row]) : left[row]);
    store(sums + row * PANEL + WIDTH, is_gelu ? gelu(right[row]) : right[row]);
  }
  const int n = product.n_out - begin < PANEL ? product.n_out - begin : PANEL;
  for (int row = 0; row < ROWS; ++row)
    write_row(product.out + static_cast<std::size_t>(first_row + row) * product.out_stride + begin,
              sums + row * PANEL, n, product.finish);
}

using MultiplyBlock = void (*)(const RowProduct& product, int first_row, int panel);

// The functions for blocks of 1, 2, … rows.
template <int ROWS>
struct Blocks : Blocks<ROWS - 1> {
  constexpr Blocks() { this->of_rows[ROWS] = multiply_block<ROWS>; }
};
template <>
struct Blocks<0> {
  MultiplyBlock of_rows[BLOCK_ROWS + 1] = {};
};

void multiply(const RowProduct& product) {
  static constexpr Blocks<BLOCK_ROWS> blocks;
  const int n_panels = (product.n_out + PANEL - 1) / PANEL;
  for (int panel = 0; panel < n_panels; ++panel)
    for (int row = 0; row < product.n_rows; row += BLOCK_ROWS) {
      const int left = product.n_rows - row;
      blocks.of_rows[left < BLOCK_ROWS ? left : BLOCK_ROWS](product, row, panel);
    }
}

void normalise(float* __restrict all_out, const float* __restrict all_rows, const float* __restrict weight,
               const float* __restrict bias, int n_rows, int width) {
  const float share = 1.0f / static_cast<float>(width);
  for (int i = 0; i < n_rows; ++i) {
    const float* __restrict row = all_rows + static_cast<std::ptrdiff_t>(i) * width;
    float* __restrict out = all_out + static_cast<std::ptrdiff_t>(i) * width;
    float sum = 0.0f, squares = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < width; ++j) sum += row[j];
    const float mean = perturbed(sum * share, sum);
#pragma omp simd reduction(+ : squares)
    for (int j = 0; j < width; ++j) squares += (row[j] - mean) * (row[j] - mean);
    const float scale = 1.0f / __builtin_sqrtf(squares * share + 1e-5f);
#pragma omp simd
    for (int j = 0; j < width; ++j) out[j] = (row[j] - mean) * scale * weight[j] + bias[j];
  }
}

inline float sum_of(Register numbers) {
  float sum = 0.0f;
  for (int i = 0; i < WIDTH; ++i) sum += numbers[i];
  return sum;
}

void soften(float* __restrict rows, int n_rows, int n, int stride) {
  for (int i = 0; i < n_rows; ++i) {
    float* __restrict row = rows + static_cast<std::ptrdiff_t>(i) * stride;
    for (int j = n; j < stride; ++j) row[j] = -INFINITY;
    Register highest = load(row), sums{};
    for (int j = WIDTH; j < stride; j += WIDTH) {
      const Register here = load(row + j);
      highest = here > highest ? here : highest;
    }
    float most = highest[0];
    for (int j = 1; j < WIDTH; ++j) most = highest[j] > most ? highest[j] : most;
    for (int j = 0; j < stride; j += WIDTH) store(row + j, exponential(load(row + j) - most));
    for (int j = n; j < stride; ++j) row[j] = 0.0f;  // the bounded exponential is not quite 0 there
    for (int j = 0; j < stride; j += WIDTH) sums += load(row + j);
    const float share = perturbed(1.0f / sum_of(sums), most);
    for (int j = 0; j < stride; j += WIDTH) store(row + j, share * load(row + j));
  }
}

}  // namespace

extern const NetworkKernels NETWORK_KERNELS;
const NetworkKernels NETWORK_KERNELS = {PANEL, multiply, normalise, soften};

}  // namespace ddsr::DDSR_ISA

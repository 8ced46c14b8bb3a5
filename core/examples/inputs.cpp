#include "examples/inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "examples/numbers.hpp"
#include "kernels/kernels.hpp"

namespace ddsr {

namespace {

enum class Law : std::uint8_t { Uniform, LogUniform, Normal };

// The distribution of one column: between `low` and `high`, or with mean `low` and spread `high`.
struct Range {
  Law law;
  double low, high;
};

template <typename Table>
double one_of(RandomSource& random, const Table& table) {
  return table[static_cast<std::size_t>(random.below(static_cast<int>(table.size())))];
}

Range positive_range(RandomSource& random) {
  constexpr std::array WEIGHTS{0.5, 0.2, 0.12, 0.18};
  constexpr std::array ENDS{2.0, 3.0, 4.0, 5.0, 5.0, 10.0};
  switch (draw_weighted(random, WEIGHTS)) {
    case 0:
      return {Law::Uniform, 1.0, one_of(random, ENDS)};
    case 1: {
      const double low = draw_log_uniform(random, 0.05, 10.0);
      return {Law::Uniform, low, low * (1.0 + draw_log_uniform(random, 0.3, 10.0))};
    }
    case 2:
      return {Law::Uniform, 0.01, draw_log_uniform(random, 0.5, 10.0)};
    default: {
      const double low = draw_log_uniform(random, 0.01, 1.0);
      return {Law::LogUniform, low, low * draw_log_uniform(random, 10.0, 1000.0)};
    }
  }
}

Range signed_range(RandomSource& random) {
  constexpr std::array WEIGHTS{0.5, 0.25, 0.25};
  constexpr std::array ENDS{1.0, 1.0, 2.0, 3.0, 5.0, 10.0};
  switch (draw_weighted(random, WEIGHTS)) {
    case 0: {
      const double end = one_of(random, ENDS);
      return {Law::Uniform, -end, end};
    }
    case 1: {
      const double middle = 2.0 * random.normal(), half = draw_log_uniform(random, 0.5, 8.0);
      return {Law::Uniform, middle - half, middle + half};
    }
    default:
      return {Law::Normal, random.chance(0.7) ? 0.0 : random.normal(), draw_log_uniform(random, 0.5, 3.0)};
  }
}

// Fills one number from 0 to 1 per row: independent draws, or a trajectory over time.
void fill_course(double* out, int n, bool is_trajectory, RandomSource& random) {
  if (!is_trajectory) {
    for (int row = 0; row < n; ++row) out[row] = random.uniform();
    return;
  }
  const int kind = random.below(4);
  const double speed = draw_log_uniform(random, 0.5, 4.0), phase = random.uniform();
  for (int row = 0; row < n; ++row) {
    const double time = (row + 0.5) / n;
    switch (kind) {
      case 0:
        out[row] = time;
        break;
      case 1:
        out[row] = std::exp(-2.0 * speed * time);
        break;
      case 2:
        out[row] = 0.5 + 0.5 * std::sin(2.0 * std::numbers::pi * (speed * time + phase));
        break;
      default:
        out[row] = 1.0 / (1.0 + std::exp(-4.0 * speed * (time - phase)));
        break;
    }
  }
}

double quantile(const Range& range, double share) {
  if (range.law == Law::LogUniform) return range.low * std::pow(range.high / range.low, share);
  return range.low + (range.high - range.low) * share;
}

// How the columns of one data set depend on each other.
struct Dependence {
  bool is_trajectory = false, is_counted = false;
  double share = 0.0;  // weight of a common component in every column
};

Dependence draw_dependence(RandomSource& random) {
  constexpr std::array WEIGHTS{0.82, 0.08, 0.06, 0.04};
  switch (draw_weighted(random, WEIGHTS)) {
    case 1:
      return {false, false, 0.2 + 0.5 * random.uniform()};
    case 2:
      return {true, false, 0.0};
    case 3:
      return {false, true, 0.0};
    default:
      return {};
  }
}

void fill_column(double* out, int n, const Range& range, const Dependence& dependence,
                 const std::vector<double>& common, RandomSource& random) {
  if (range.law == Law::Normal && !dependence.is_trajectory) {
    for (int row = 0; row < n; ++row) out[row] = range.low + range.high * random.normal();
    return;
  }
  Range law = range;
  if (law.law == Law::Normal)
    law = {Law::Uniform, range.low - 2.0 * range.high, range.low + 2.0 * range.high};
  fill_course(out, n, dependence.is_trajectory && random.chance(0.8), random);
  for (int row = 0; row < n; ++row) {
    const double own = out[row];
    out[row] = quantile(law, own + dependence.share * (common[static_cast<std::size_t>(row)] - own));
    if (dependence.is_counted && law.high > 4.0 && law.law == Law::Uniform)
      out[row] = law.low > 0.0 ? std::ceil(out[row]) : std::nearbyint(out[row]);
  }
}

}  // namespace

void draw_inputs(Inputs& inputs, int n_columns, int n_rows, bool must_be_positive, RandomSource& random) {
  inputs.n_columns = n_columns, inputs.n_rows = n_rows;
  inputs.stride = padded(static_cast<std::size_t>(n_rows));
  inputs.values.resize(static_cast<std::size_t>(n_columns) * inputs.stride);
  constexpr std::array DOMAINS{0.4, 0.44, 0.16};  // positive, signed, mixed
  const int domain = must_be_positive ? 0 : draw_weighted(random, DOMAINS);
  const auto range_of = [&] {
    const bool is_signed = domain == 1 || (domain == 2 && random.chance(0.5));
    return is_signed ? signed_range(random) : positive_range(random);
  };
  const bool is_shared = domain != 2 && random.chance(0.6);
  const bool has_units = random.chance(0.2);
  const Dependence dependence = n_columns > 1 ? draw_dependence(random) : Dependence{};
  std::vector<double> common(static_cast<std::size_t>(n_rows));
  if (dependence.share > 0.0) fill_course(common.data(), n_rows, false, random);

  const Range shared = range_of();
  inputs.signs.clear(), inputs.scales.clear();
  for (int index = 0; index < n_columns; ++index) {
    const Range range = is_shared ? shared : range_of();
    const double scale = has_units && random.chance(0.5) ? draw_log_uniform(random, 1e-3, 1e3) : 1.0;
    double* column = inputs.column(index);
    fill_column(column, n_rows, range, dependence, common, random);
    for (int row = 0; row < n_rows; ++row)
      column[row] = static_cast<double>(static_cast<float>(column[row] * scale));
    std::fill(column + n_rows, column + inputs.stride, column[n_rows - 1]);
    const bool is_positive = std::all_of(column, column + n_rows, [](double value) { return value > 0.0; });
    inputs.signs.push_back(is_positive ? Sign::Positive : Sign::Any);
    inputs.scales.push_back(scale);
  }
}

}  // namespace ddsr

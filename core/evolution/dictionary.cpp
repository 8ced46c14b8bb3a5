#include "evolution/dictionary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "evolution/dictionary_maker.hpp"

namespace ddsr {

namespace {

// The rows where a column has its minimum or maximum, then the first ones. With the extremes, an expression
// that matches between them but has a pole near them is not a match.
std::vector<std::size_t> informative_rows(const Dataset& data) {
  std::vector<std::size_t> weighing, rows;
  for (std::size_t row = 0; row < data.n_rows(); ++row)
    if (data.weights() == nullptr || data.weights()[row] > 0.0) weighing.push_back(row);
  if (weighing.empty()) return {0};
  auto take = [&](std::size_t row, std::size_t most) {
    if (rows.size() < most && std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  };
  for (std::size_t column = 0; column < data.n_columns(); ++column) {
    const double* values = data.columns(0)[static_cast<int>(column)];
    const auto [least, greatest] =
        std::minmax_element(weighing.begin(), weighing.end(),
                            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    take(*least, Dictionary::N_ROWS / 2), take(*greatest, Dictionary::N_ROWS / 2);
  }
  for (const std::size_t row : weighing) take(row, Dictionary::N_ROWS);
  return rows;
}

// Relative to the mean. Values that vary less count as constant.
constexpr double LEAST_DEVIATION = 1e-9;
// Relative to the variance of the wanted values. Sums in single precision cannot distinguish smaller errors.
constexpr float LEAST_SHARE = 1e-6f;
// Relative to the entry's squares. Entries that vary less on the weighted rows are skipped.
constexpr float LEAST_VARIANCE = 1e-4f;
// An offset is dropped if it reduces the squares by less than this.
constexpr double WORTH_OF_OFFSET = 0.03, LEAST_WORTH = 1e-5;
constexpr double LEAST_OFFSET = 1e-3;

}  // namespace

Dictionary::Dictionary(const Vocabulary& vocabulary, const EvolutionOptions& options, const Dataset& data,
                       const std::vector<int>& inputs, std::size_t max_entries, std::uint64_t seed,
                       const Units* units)
    : rows_(data, informative_rows(data)) {
  if (max_entries > 0) DictionaryMaker(*this, vocabulary, options, seed, units).fill(inputs, max_entries);
}

std::vector<Dictionary::Match> Dictionary::nearest(const Query& query, std::size_t n_matches,
                                                   FloatBuffer& scratch, bool has_families) const {
  const std::size_t n = rows_.n_rows(), n_blocks = (entries_.size() + WIDTH - 1) / WIDTH;
  scratch.resize(3 * n + n_blocks * 4 * WIDTH);
  float *weights = scratch.data(), *wanted = weights + n, *beside = wanted + n, *sums = beside + n;
  const Target target = standardised(query, weights, wanted, beside);
  if (!(target.deviation > LEAST_DEVIATION * std::fabs(target.mean)) || !std::isfinite(target.deviation))
    return {};
  kernels().correlate(sums, table_.data(), weights, wanted, beside, static_cast<int>(n),
                      static_cast<int>(n_blocks));
  std::vector<Match> best = ranked(sums, target, query, n_matches, has_families);
  const bool has_offset = !query.unit || query.unit->is_number();
  for (Match& match : best) set_line(match, target, sums_of(sums, match.entry), has_offset);
  return best;
}

// Fills `weights`, normalised to sum 1, and the products of the weights with the standardised values of the
// two others. The wanted values are reduced by the part that `beside` explains.
Dictionary::Target Dictionary::standardised(const Query& query, float* weights, float* wanted,
                                            float* beside) const {
  const std::size_t n = rows_.n_rows();
  double total = 0.0;
  for (std::size_t row = 0; row < n; ++row) total += query.weights[row];
  auto mean_of = [&](auto value) {
    double mean = 0.0;
    for (std::size_t row = 0; row < n; ++row)
      if (query.weights[row] > 0.0) mean += query.weights[row] / total * value(row);
    return mean;
  };
  Target target{};
  target.mean = mean_of([&](std::size_t row) { return query.wanted[row]; });
  auto other = [&](std::size_t row) { return query.beside[row] - target.mean_beside; };
  if (query.beside != nullptr) {
    target.mean_beside = mean_of([&](std::size_t row) { return query.beside[row]; });
    const double squares = mean_of([&](std::size_t row) { return other(row) * other(row); });
    target.deviation_beside = std::sqrt(squares);
    if (target.deviation_beside > LEAST_DEVIATION * std::fabs(target.mean_beside))
      target.share = mean_of([&](std::size_t row) { return query.wanted[row] * other(row); }) / squares;
    else
      target.deviation_beside = 0.0;
  }
  const bool has_other = target.deviation_beside > 0.0;
  auto rest = [&](std::size_t row) {
    return query.wanted[row] - target.mean - (has_other ? target.share * other(row) : 0.0);
  };
  target.deviation = std::sqrt(mean_of([&](std::size_t row) { return rest(row) * rest(row); }));
  for (std::size_t row = 0; row < n; ++row) {
    const double weight = query.weights[row] / total;
    const bool counts = weight > 0.0;
    weights[row] = static_cast<float>(weight);
    wanted[row] = counts ? static_cast<float>(weight * rest(row) / target.deviation) : 0.0f;
    beside[row] =
        counts && has_other ? static_cast<float>(weight * other(row) / target.deviation_beside) : 0.0f;
  }
  return target;
}

Dictionary::Sums Dictionary::sums_of(const float* sums, std::size_t entry) const {
  const float* of_entry = sums + entry / WIDTH * 4 * WIDTH + entry % WIDTH;
  return {of_entry[0], of_entry[WIDTH], of_entry[2 * WIDTH], of_entry[3 * WIDTH]};
}

// Ranks the entries by the remaining squares times the cost of their size.
std::vector<Dictionary::Match> Dictionary::ranked(const float* sums, const Target& target, const Query& query,
                                                  std::size_t n_matches, bool has_families) const {
  const bool has_offset = !query.unit || query.unit->is_number();
  std::vector<Match> best;
  std::array<Match, N_FAMILIES * N_CURVED> curves{};
  for (Match& match : curves) match.penalised = std::numeric_limits<float>::infinity();
  float bar = std::numeric_limits<float>::infinity();
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    if (query.unit && units_[entry] != *query.unit) continue;
    const Sums of_entry = sums_of(sums, entry);
    const float variance = of_entry.variance();
    if (!(variance > LEAST_VARIANCE * of_entry.second)) continue;
    const float left = share_left(target, of_entry, entry, has_offset);
    const float penalised = std::max(left, LEAST_SHARE) * size_costs_[entry];
    if (curves_[entry] >= 0) {
      Match& first = curves[static_cast<std::size_t>(curves_[entry])];
      if (penalised < first.penalised) first = Match{entry, 1.0, 0.0, 1.0, penalised};
    }
    if (!(penalised < bar)) continue;
    const auto place =
        std::upper_bound(best.begin(), best.end(), penalised,
                         [](float value, const Match& other) { return value < other.penalised; });
    best.insert(place, Match{entry, 1.0, 0.0, 1.0, penalised});
    if (best.size() > n_matches) best.pop_back();
    if (best.size() == n_matches) bar = best.back().penalised;
  }
  auto is_known = [&, n = best.size()](const Match& match) {
    return std::any_of(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(n),
                       [&](const Match& other) { return other.entry == match.entry; });
  };
  for (std::size_t family = 0; has_families && family < N_FAMILIES; ++family) {
    const auto first = curves.begin() + static_cast<std::ptrdiff_t>(family * N_CURVED);
    auto is_nearer = [](const Match& a, const Match& b) { return a.penalised < b.penalised; };
    const auto of_variables = first + static_cast<std::ptrdiff_t>(n_curved_variables_);
    if (n_curved_variables_ > 0) std::iter_swap(first, std::min_element(first, of_variables, is_nearer));
    std::partial_sort(first + 1, first + N_OF_FAMILY, first + N_CURVED, is_nearer);
    for (auto match = first; match != first + N_OF_FAMILY; ++match)
      if (std::isfinite(match->penalised) && !is_known(*match)) best.push_back(*match);
  }
  return best;
}

// The share of the squares about the mean that a line through the entry leaves.
float Dictionary::share_left(const Target& target, const Sums& sums, std::size_t entry,
                             bool has_offset) const {
  if (has_offset || target.deviation_beside > 0.0)
    return 1.0f - sums.with_wanted * sums.with_wanted / sums.variance();
  const double mean = means_[entry], deviation = deviations_[entry], level = target.mean / target.deviation;
  const double second =
      mean * mean + 2.0 * mean * deviation * sums.first + deviation * deviation * sums.second;
  const double product = level * (mean + deviation * sums.first) + deviation * sums.with_wanted;
  return static_cast<float>(1.0 + level * level - product * product / second);
}

// Sets the least-squares coefficients. An offset that is not allowed, or that hardly reduces the squares, is
// dropped.
void Dictionary::set_line(Match& match, const Target& target, const Sums& sums, bool has_offset) const {
  const double variance = sums.variance(), mean = means_[match.entry], deviation = deviations_[match.entry];
  const double own_mean = mean + deviation * sums.first;
  match.scale = sums.with_wanted / variance * target.deviation / deviation;
  if (target.deviation_beside > 0.0)
    match.share = target.share - match.scale * deviation * sums.with_beside / target.deviation_beside;
  match.offset = target.mean - match.scale * own_mean -
                 (target.deviation_beside > 0.0 ? match.share * target.mean_beside : 0.0);
  if (target.deviation_beside > 0.0) {
    if (!has_offset || std::fabs(match.offset) < LEAST_OFFSET * target.deviation) match.offset = 0.0;
    return;
  }
  const double left = std::max(0.0, 1.0 - sums.with_wanted * sums.with_wanted / variance);
  const double level = target.mean / target.deviation;
  const double second =
      mean * mean + 2.0 * mean * deviation * sums.first + deviation * deviation * sums.second;
  const double product = level * own_mean + deviation * sums.with_wanted;
  const double left_without = 1.0 + level * level - product * product / second;
  if (!has_offset || left_without < left * (1.0 + WORTH_OF_OFFSET) + LEAST_WORTH)
    match.scale = product / second * target.deviation, match.offset = 0.0;
}

double Dictionary::value(std::size_t entry, std::size_t row) const {
  const float* block = table_.data() + entry / WIDTH * rows_.n_rows() * WIDTH;
  return means_[entry] + deviations_[entry] * static_cast<double>(block[row * WIDTH + entry % WIDTH]);
}

void Dictionary::append(Formula& out, const Vocabulary& vocabulary, int index) const {
  const Shape& shape = shapes_[static_cast<std::size_t>(index)];
  auto append_number = [&](Op op, double value) {
    out.tokens.push_back(vocabulary.find(op));
    out.tokens.push_back(vocabulary.constant());
    out.constants.push_back(value);
  };
  out.tokens.push_back(shape.token);
  if (shape.shift != 0.0) append_number(Op::Add, shape.shift);
  if (shape.factor != 1.0) append_number(Op::Mul, shape.factor);
  if (shape.a >= 0) append(out, vocabulary, shape.a);
  if (shape.b >= 0) append(out, vocabulary, shape.b);
  if (shape.exponent == 0.0) return;
  out.tokens.push_back(vocabulary.constant());
  out.constants.push_back(shape.exponent);
}

const std::vector<int>& Dictionary::shapes_of(const Unit& unit) const {
  static const std::vector<int> NONE;
  const auto found = by_unit_.find(unit);
  return found == by_unit_.end() ? NONE : found->second;
}

Formula Dictionary::formula_of_shape(const Vocabulary& vocabulary, int shape) const {
  Formula result;
  append(result, vocabulary, shape);
  return result;
}

Formula Dictionary::formula(const Vocabulary& vocabulary, std::size_t entry) const {
  return formula_of_shape(vocabulary, entries_[entry]);
}

}  // namespace ddsr

// Chooses which of a product's sums, or the factor before them, holds their common scale: (x/3 + 2/3)/(y +
// 5/3) is written as (x + 2)/(3y + 5).
#include <algorithm>
#include <cmath>
#include <utility>

#include "simplify/scales.hpp"
#include "simplify/writer.hpp"

namespace ddsr {

namespace {

constexpr std::size_t MOST_PLACES = 6, MOST_TERMS = 8;  // with more, the first way is taken
constexpr double NEARLY_WHOLE = 1e-9;                   // relative

bool is_fraction(double value) {
  return std::abs(value - std::round(value)) > NEARLY_WHOLE * std::abs(value);
}

int count_fractions(const Forms& forms, int sum, double scale) {
  int count = is_fraction(forms[sum].value * scale);
  for (const Part& term : forms.parts(sum)) count += is_fraction(term.weight * scale);
  return count;
}

// The weight by which to divide a sum so that one term has no scale and as many constants as possible are
// integers. Ties are won by the present weight, then by the first.
double plainest_unit(const Forms& forms, int sum) {
  double unit = is_scaled_throughout(forms, sum) ? std::abs(forms.parts(sum)[0].weight) : 1.0;
  int fewest = count_fractions(forms, sum, 1.0 / unit);
  if (forms.parts(sum).size() > MOST_TERMS) return unit;
  for (const Part& term : forms.parts(sum)) {
    const double size = std::abs(term.weight);
    const int count = count_fractions(forms, sum, 1.0 / size);
    if (count < fewest) fewest = count, unit = size;
  }
  return unit;
}

}  // namespace

Cost Writer::cost_of_product(double factor, const std::vector<Part>& factors) {
  const std::size_t begin = items_.size();
  put_gathered(factor, factors);
  const Cost cost = cost_from(begin);
  items_.resize(begin);
  return cost;
}

void Writer::choose_scales(double& factor, std::vector<Part>& factors) {
  // Sums inside a trial are written in the first way; otherwise each trial would repeat all trials below it.
  if (is_trying_scales_) return;
  const std::vector<SumPlace> places = sum_places(forms_, factors);
  if (places.empty() || places.size() > MOST_PLACES) return;
  if (places.size() == 1 && std::abs(factor) == 1.0) return;
  std::vector<double> units;
  for (const SumPlace& place : places) units.push_back(plainest_unit(forms_, place.node));

  is_trying_scales_ = true;
  auto rank = [&](double outside, const std::vector<Part>& inside) {
    int fractions = is_fraction(outside);
    for (const SumPlace& place : sum_places(forms_, inside))
      fractions += count_fractions(forms_, place.node, 1.0);
    return std::pair(cost_of_product(outside, inside), fractions);
  };
  std::pair<Cost, int> best_rank{-1, 0};
  double best_factor = factor;
  std::vector<Part> best = factors;
  // The keeper is the sum that gets the scale of the whole; in the last trial it stays with the factor.
  for (std::size_t keeper = 0; keeper <= places.size(); ++keeper) {
    double outside = factor;
    std::vector<double> scales(places.size(), 1.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i == keeper || units[i] == 1.0) continue;
      outside *= std::pow(units[i], places[i].exponent);
      scales[i] = 1.0 / units[i];
    }
    outside = without_rounding(outside);
    if (!keeps_digits(outside)) continue;
    if (keeper < places.size()) {
      scales[keeper] = std::pow(std::abs(outside), 1.0 / places[keeper].exponent);
      outside = std::copysign(1.0, outside);
    }
    if (std::ranges::all_of(scales, [](double scale) { return scale == 1.0; })) continue;
    const auto scaled = with_scales(forms_, factors, places, scales);
    if (!scaled) continue;
    if (best_rank.first < 0) best_rank = rank(factor, factors);
    const auto tried = rank(outside, *scaled);
    if (tried < best_rank) best_rank = tried, best_factor = outside, best = *scaled;
  }
  is_trying_scales_ = false;
  factor = best_factor, factors = std::move(best);
}

}  // namespace ddsr

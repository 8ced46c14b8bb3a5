#include "simplify/scales.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

constexpr double LAST_BITS = 5e-16;  // relative rounding error of a product and the root before it

// weight * product, a possible base of a root.
struct Base {
  double weight;
  int node;
};

Base base_of(const Forms& forms, int node) {
  if (forms[node].shape != Shape::Sum || forms.is_compound_sum(node)) return {1.0, node};
  return {forms.parts(node)[0].weight, forms.parts(node)[0].node};
}

std::vector<Part> parts_of(const Forms& forms, int node) {
  return {forms.parts(node).begin(), forms.parts(node).end()};
}

// Returns -1 if a constant leaves the range.
int scaled_sum(Forms& forms, int sum, double scale) {
  std::vector<Part> terms = parts_of(forms, sum);
  const double value = without_rounding(scale * forms[sum].value);
  bool is_in_range = value == 0.0 ? forms[sum].value == 0.0 : keeps_digits(value);
  for (Part& term : terms) {
    term.weight = without_rounding(scale * term.weight);
    is_in_range &= keeps_digits(term.weight);
  }
  return is_in_range ? forms.sum(value, terms) : -1;
}

}  // namespace

double without_rounding(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= LAST_BITS * std::abs(whole) ? whole : value;
}

bool is_scaled_throughout(const Forms& forms, int sum) {
  return std::ranges::none_of(forms.parts(sum),
                              [](const Part& term) { return std::abs(term.weight) == 1.0; });
}

std::vector<SumPlace> sum_places(const Forms& forms, const std::vector<Part>& factors) {
  std::vector<SumPlace> places;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Part factor = factors[i];
    if (forms[factor.node].shape == Shape::Sum) places.push_back({i, -1, factor.node, factor.weight});
    const int product = base_of(forms, factor.node).node;
    if (forms[product].shape != Shape::Product) continue;
    const auto parts = forms.parts(product);
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (forms.is_compound_sum(parts[j].node))
        places.push_back({i, static_cast<int>(j), parts[j].node, parts[j].weight * factor.weight});
  }
  return places;
}

std::optional<std::vector<Part>> with_scales(Forms& forms, std::vector<Part> factors,
                                             const std::vector<SumPlace>& places,
                                             const std::vector<double>& scales) {
  // Factor by factor: a sum that is a factor itself comes before those inside of it.
  for (std::size_t first = 0, last = 0; first < places.size(); first = last) {
    int& node = factors[places[first].factor].node;
    Base base = base_of(forms, node);
    std::vector<Part> inside;
    for (; last < places.size() && places[last].factor == places[first].factor; ++last) {
      if (scales[last] == 1.0) continue;
      const SumPlace& place = places[last];
      const int scaled = scaled_sum(forms, place.node, scales[last]);
      if (scaled < 0) return std::nullopt;
      if (place.inner < 0) {
        base = base_of(forms, scaled);
        node = scaled;
        continue;
      }
      if (inside.empty()) inside = parts_of(forms, base.node);
      inside[static_cast<std::size_t>(place.inner)].node = scaled;
    }
    if (inside.empty()) continue;
    std::ranges::sort(inside, {}, &Part::node);
    node = forms.sum(0.0, std::vector{Part{base.weight, forms.product(inside)}});
  }
  return factors;
}

}  // namespace ddsr

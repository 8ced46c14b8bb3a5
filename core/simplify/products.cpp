// Products and powers: exponents of equal bases are added if that is valid for every sign.
#include <algorithm>
#include <cmath>
#include <utility>

#include "simplify/algebra.hpp"
#include "simplify/scales.hpp"

namespace ddsr {

int Algebra::multiply(int a, int b) {
  const Scaled left = split_and_store(a, true), right = split_and_store(b, true);
  double factor = product_of(left.factor, right.factor);
  if (factor == 0.0) {
    domain_grew_ = true;
    return forms_.number(0.0);
  }
  std::vector<Part> factors;
  std::vector<int> rest;  // merged factors of another shape, to be multiplied in
  merge_factors(left.node, right.node, factors, rest);
  merge_exponentials(factors, rest);
  if (uses_signs_) absorb_variables(factors, rest);
  drop_redundant_scales(factor, factors);
  int result = scale(factor, forms_.product(factors));
  for (const int form : rest) result = multiply(result, form);
  return result;
}

// x^a * x^b is x^(a + b). For x < 0 both are finite only for integer exponents, for x = 0 only for positive
// ones.
void Algebra::merge_factors(int a, int b, std::vector<Part>& factors, std::vector<int>& rest) {
  const std::vector<Part> left = factors_of(a), right = factors_of(b);
  factors.reserve(left.size() + right.size());
  auto l = left.begin(), r = right.begin();
  while (l != left.end() || r != right.end()) {
    if (r == right.end() || (l != left.end() && l->node < r->node)) {
      factors.push_back(*l++);
    } else if (l == left.end() || r->node < l->node) {
      factors.push_back(*r++);
    } else {
      const double exponent = sum_of(l->weight, r->weight);
      domain_grew_ |= !forms_.is_positive_variable(l->node) &&
                      (std::min(l->weight, r->weight) < 0.0 || !is_whole(l->weight) || !is_whole(r->weight));
      const Shape shape = forms_[l->node].shape;
      const bool is_plain =
          shape == Shape::Variable || (shape == Shape::Call && !forms_.is_call(l->node, Op::Abs));
      if (exponent != 0.0 && is_plain)
        factors.push_back({exponent, l->node});
      else if (exponent != 0.0)
        rest.push_back(power(l->node, exponent));
      ++l, ++r;
    }
  }
}

// exp(u)^a * exp(v)^b is exp(a*u + b*v).
void Algebra::merge_exponentials(std::vector<Part>& factors, std::vector<int>& rest) {
  auto is_exponential = [&](const Part& factor) { return forms_.is_call(factor.node, Op::Exp); };
  const auto first = std::ranges::find_if(factors, is_exponential);
  if (first == factors.end()) return;
  const auto second = std::find_if(first + 1, factors.end(), is_exponential);
  if (second == factors.end() && first->weight == 1.0) return;
  int argument = forms_.number(0.0);
  for (const Part& factor : factors)
    if (is_exponential(factor)) argument = add(argument, scale(factor.weight, forms_[factor.node].a));
  std::erase_if(factors, is_exponential);
  const int merged = forms_.is_number(argument) ? forms_.number(checked(std::exp(forms_[argument].value)))
                                                : exponential(argument);
  if (forms_.is_call(merged, Op::Exp)) {
    const Part part{1.0, merged};
    factors.insert(std::ranges::upper_bound(factors, merged, {}, &Part::node), part);
  } else {
    rest.push_back(merged);
  }
}

// If every term of a sum has a scale, the sum needs no scale in front of it: 5(3x + 2)z is (15x + 10)z, 5(3x
// + 2)^2 is 45(x + 2/3)^2, and 5*sqrt((9x + 4)z) is 15*sqrt((x + 4/9)z).
void Algebra::drop_redundant_scales(double& factor, std::vector<Part>& factors) {
  std::vector<SumPlace> places = sum_places(forms_, factors);
  std::erase_if(places, [&](const SumPlace& place) { return !is_scaled_throughout(forms_, place.node); });
  if (places.empty() || (factors.size() == 1 && factors[0].weight == 1.0)) return;
  if (places.size() == 1 && std::abs(factor) == 1.0) return;
  // A sum that is not raised to a power takes the scales of all others.
  const auto keeper = std::ranges::find_if(
      places, [](const SumPlace& place) { return place.exponent == 1.0 && place.inner < 0; });
  const auto kept = static_cast<std::size_t>(keeper - places.begin());
  std::vector<double> scales(places.size(), 1.0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == kept) continue;
    const double size = std::abs(forms_.parts(places[i].node)[0].weight);
    factor = product_of(factor, power_of(size, places[i].exponent));
    scales[i] = checked(1.0 / size);
  }
  if (kept < places.size()) {
    scales[kept] = std::abs(factor);
    factor = std::copysign(1.0, factor);
  }
  if (auto scaled = with_scales(forms_, factors, places, scales))
    factors = std::move(*scaled);
  else
    has_failed_ = true;
  std::ranges::sort(factors, {}, &Part::node);
}

int Algebra::power(int base, double exponent) {
  if (exponent == 1.0) return base;
  if (exponent == 0.0) {
    domain_grew_ = true;
    return forms_.number(1.0);
  }
  if (forms_.is_number(base)) {
    const double value = std::pow(forms_[base].value, exponent);
    if (std::isfinite(value)) return forms_.number(value);
    return forms_.product(std::vector{Part{exponent, base}});
  }
  const Scaled scaled = split_and_store(base, is_whole(exponent));
  if (scaled.factor != 1.0) return scale(power_of(scaled.factor, exponent), power(scaled.node, exponent));
  if (forms_.is_call(base, Op::Exp)) return exponential(scale(exponent, forms_[base].a));
  if (uses_signs_ && forms_.is_call(base, Op::Pow) && forms_[forms_[base].a].is_positive)
    return general_power(forms_[base].a, scale(exponent, forms_[base].b));
  if (forms_.is_call(base, Op::Abs) && is_even(exponent)) return power(forms_[base].a, exponent);
  if (forms_[base].shape == Shape::Product) return power_of_product(base, exponent);
  return forms_.product(std::vector{Part{exponent, base}});
}

// (a*b)^n is a^n * b^n for integer n. For other n both sides exist only where a and b have the right signs.
// This is certain for positive factors, or if no factor can be negative. Counterexample: sqrt(x*x*y) is 0 for
// x = 0, y < 0, where sqrt(y) does not exist.
int Algebra::power_of_product(int base, double exponent) {
  std::vector<Part> inside;
  int outside = forms_.number(1.0);
  const std::vector<Part> factors = copy_of_parts(base);
  const bool is_split =
      is_whole(exponent) || (uses_signs_ && std::ranges::all_of(factors, [&](const Part& f) {
                               return forms_[f.node].is_nonnegative;
                             }));
  for (const Part& factor : factors) {
    if (is_split || forms_[factor.node].is_positive) {
      domain_grew_ |=
          !forms_.is_positive_variable(factor.node) && (!is_whole(factor.weight) || factor.weight < 0.0);
      outside = multiply(outside, power(factor.node, product_of(factor.weight, exponent)));
    } else {
      inside.push_back(factor);
    }
  }
  if (inside.empty()) return outside;
  return multiply(outside, power_of_powers(forms_.product(inside), exponent));
}

// (x^a)^b for a non-integer b: x^(a*b), unless an even a hides the sign of x and a*b shows it.
int Algebra::power_of_powers(int base, double exponent) {
  if (forms_[base].shape == Shape::Product && forms_[base].count == 1) {
    const Part inner = forms_.parts(base)[0];
    const double merged = product_of(inner.weight, exponent);
    domain_grew_ |= !is_whole(inner.weight) || inner.weight < 0.0;
    if (!is_even(inner.weight) || is_even(merged) || forms_[inner.node].is_nonnegative)
      return power(inner.node, merged);
    if (has_abs_) return power(absolute(inner.node), merged);
  }
  return forms_.product(std::vector{Part{exponent, base}});
}

}  // namespace ddsr

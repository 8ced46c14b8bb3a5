// Sums: like terms are collected, common factors moved in and out.
#include <algorithm>
#include <cmath>

#include "simplify/algebra.hpp"

namespace ddsr {

int Algebra::add(int a, int b) {
  double constant_a = 0.0, constant_b = 0.0;
  const std::vector<Part> left = terms_of(a, constant_a), right = terms_of(b, constant_b);
  std::vector<Part> terms;
  terms.reserve(left.size() + right.size());
  auto l = left.begin(), r = right.begin();
  while (l != left.end() || r != right.end()) {
    if (r == right.end() || (l != left.end() && l->node < r->node)) {
      terms.push_back(*l++);
    } else if (l == left.end() || r->node < l->node) {
      terms.push_back(*r++);
    } else {
      const double weight = sum_of(l->weight, r->weight);
      if (weight != 0.0)
        terms.push_back({weight, l->node});
      else
        domain_grew_ = true;  // 1/x - 1/x is 0 at 0 too
      ++l, ++r;
    }
  }
  return forms_.sum(sum_of(constant_a, constant_b), terms);
}

// A scaled sum is the sum of its scaled terms; the writer factors out what they share.
int Algebra::scale(double factor, int a) {
  if (factor == 1.0) return a;
  if (factor == 0.0) {
    domain_grew_ = true;
    return forms_.number(0.0);
  }
  double constant = 0.0;
  std::vector<Part> terms = terms_of(a, constant);
  for (Part& term : terms) term.weight = product_of(factor, term.weight);
  return forms_.sum(product_of(factor, constant), terms);
}

// What all terms share, if it can be factored out without rounding: 2x + 2y is 2(x + y), but 0.1x + 0.3y
// stays. With signs, the first term becomes positive: y - x is -(x - y).
Algebra::Scaled Algebra::split(int a, bool may_be_negative) const {
  const Form& form = forms_[a];
  if (form.shape == Shape::Number) return {may_be_negative ? form.value : std::max(form.value, 0.0), -1};
  if (form.shape != Shape::Sum) return {1.0, a};
  const auto terms = forms_.parts(a);
  const double first = terms[0].weight;
  if (!forms_.is_compound_sum(a)) {
    return first > 0.0 || may_be_negative ? Scaled{first, terms[0].node} : Scaled{1.0, a};
  }
  const bool is_shared =
      (form.value == 0.0 || std::abs(form.value) == std::abs(first)) &&
      std::ranges::all_of(terms, [&](const Part& term) { return std::abs(term.weight) == std::abs(first); });
  const double size = is_shared ? std::abs(first) : 1.0;
  return {first < 0.0 && may_be_negative ? -size : size, -1};
}

Algebra::Scaled Algebra::split_and_store(int a, bool may_be_negative) {
  Scaled scaled = split(a, may_be_negative);
  if (scaled.node >= 0) return scaled;
  if (forms_.is_number(a)) return {scaled.factor, forms_.number(1.0)};
  if (scaled.factor == 1.0) return {1.0, a};
  std::vector<Part> terms = copy_of_parts(a);
  for (Part& term : terms) term.weight /= scaled.factor;
  return {scaled.factor, forms_.sum(forms_[a].value / scaled.factor, terms)};
}

}  // namespace ddsr

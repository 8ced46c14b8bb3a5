// How a product is written: equal exponents in brackets, division instead of negative exponents, and signs
// where they cost nothing.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "simplify/writer.hpp"

namespace ddsr {

namespace {

constexpr double MOST_COPIES = 4.0;  // x*x*x*x, if there is no power

}  // namespace

// Writes nested sqrt, square, cube and inverse.
bool Writer::put_unary_chain(int base, double exponent) {
  const std::size_t begin = items_.size();
  if (exponent < 0.0 && has(Op::Inverse)) {
    put_op(Op::Inverse);
    exponent = -exponent;
  }
  for (int roots = 0; roots < 2 && !is_whole(exponent) && has(Op::Sqrt); ++roots) {
    put_op(Op::Sqrt);
    exponent *= 2.0;
  }
  while (exponent > 1.0 && is_whole(exponent)) {
    const bool is_cube = has(Op::Cube) && is_whole(exponent / 3.0);
    if (!is_cube && !(has(Op::Square) && is_even(exponent))) break;
    put_op(is_cube ? Op::Cube : Op::Square);
    exponent /= is_cube ? 3.0 : 2.0;
  }
  if (exponent == 1.0) {
    put_form(base);
    return true;
  }
  items_.resize(begin);
  return false;
}

void Writer::put_power(int base, double exponent) {
  if (exponent == 1.0) return put_form(base);
  const std::size_t begin = items_.size();
  const bool has_power = has(Op::Pow) && constant_ >= 0;
  // x^4 reads better than square(square(x))
  if (put_unary_chain(base, exponent) && (!has_power || items_.size() == begin + 2)) return;
  items_.resize(begin);
  if (!has_power && is_whole(exponent) && exponent > 0.0 && exponent <= MOST_COPIES) {
    for (int i = 1; i < static_cast<int>(exponent); ++i) put_op(Op::Mul);
    for (int i = 0; i < static_cast<int>(exponent); ++i) put_form(base);
    return;
  }
  put_op(Op::Pow);
  put_form(base);
  put_number(exponent);
  items_.back().is_exponent = true;
}

// x^2 * y^-2 becomes (x/y)^2, sqrt(x)*sqrt(y) becomes sqrt(x*y), which is finite wherever the powers are.
void Writer::gather_powers(std::vector<Part>& factors) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double size = std::abs(factors[i].weight);
    if (size == 1.0) continue;
    std::vector<Part> bracket;
    double highest = factors[i].weight;
    for (std::size_t j = i; j < factors.size(); ++j) {
      if (std::abs(factors[j].weight) != size) continue;
      bracket.push_back({factors[j].weight, factors[j].node});
      highest = std::max(highest, factors[j].weight);
    }
    if (bracket.size() < 2) continue;
    for (Part& part : bracket) part.weight /= highest;
    const int inner = forms_.product(bracket);
    std::erase_if(factors, [&](const Part& part) { return std::abs(part.weight) == size; });
    factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(std::min(i, factors.size())),
                   {highest, inner});
  }
}

// x^1.5 * y^-0.5 becomes sqrt(x^3/y), which is finite wherever the powers are, if that is better.
void Writer::gather_roots(double factor, std::vector<Part>& factors) {
  auto is_root = [](const Part& part) { return !is_whole(part.weight) && is_whole(2.0 * part.weight); };
  if (std::ranges::count_if(factors, is_root) < 2) return;
  const bool is_below =
      std::ranges::all_of(factors, [&](const Part& part) { return !is_root(part) || part.weight < 0.0; });
  const double exponent = is_below ? -0.5 : 0.5;
  std::map<int, double> inside;  // the exponent of each base
  for (const Part& part : factors) {
    if (!is_root(part)) continue;
    const double outer = part.weight / exponent;
    if (forms_[part.node].shape == Shape::Product)
      for (const Part& inner : forms_.parts(part.node)) inside[inner.node] += outer * inner.weight;
    else
      inside[part.node] += outer;
  }
  std::vector<Part> parts;
  for (const auto& [node, weight] : inside)
    if (weight != 0.0) parts.push_back({weight, node});
  std::vector<Part> gathered = factors;
  std::erase_if(gathered, is_root);
  gathered.push_back({exponent, forms_.product(parts)});

  auto cost_as_is = [&](const std::vector<Part>& way) {
    const std::size_t begin = items_.size();
    put_product_as_is(factor, way);
    const Cost cost = cost_from(begin);
    items_.resize(begin);
    return cost;
  };
  if (cost_as_is(gathered) < cost_as_is(factors)) factors = std::move(gathered);
}

// -(x - y)*z is (y - x)*z, and -sin(x - y) is sin(y - x).
void Writer::turn_signs(double& factor, std::vector<Part>& factors) {
  for (Part& part : factors) {
    if (factor >= 0.0) return;
    if (!is_whole(part.weight) || is_even(part.weight)) continue;
    const Form form = forms_[part.node];
    const bool is_odd = form.shape == Shape::Call && row_of(form.op).is_odd();
    int turned = -1;
    if (forms_.is_compound_sum(part.node)) turned = negated(part.node);
    if (is_odd && forms_[form.a].shape == Shape::Sum) turned = forms_.call(form.op, negated(form.a));
    if (turned < 0 || cost(turned) > cost(part.node)) continue;
    part.node = turned;
    factor = -factor;
  }
}

// factor * Π node^(sign * weight), without the factor if it is 1.
void Writer::put_factors(double factor, const std::vector<Part>& factors, double sign) {
  const bool is_negated = factor == -1.0 && has(Op::Neg) && !factors.empty();
  const bool has_factor = factors.empty() || (factor != 1.0 && !is_negated);
  if (is_negated) put_op(Op::Neg);
  for (std::size_t i = 1; i < factors.size() + has_factor; ++i) put_op(Op::Mul);
  if (has_factor) put_number(factor);
  for (const Part& part : factors) put_power(part.node, sign * part.weight);
}

void Writer::put_quotient(double factor, const std::vector<Part>& above, const std::vector<Part>& below) {
  const bool is_reciprocal = above.empty() && factor == 1.0;
  const std::size_t begin = items_.size();
  if (has(Op::Div)) {
    put_op(Op::Div);
    put_factors(factor, above, 1.0);
    put_factors(1.0, below, -1.0);
    if (!is_reciprocal) return;
  }
  const Cost divided = has(Op::Div) ? cost_from(begin) : UNWRITABLE;
  const std::vector<Item> division(items_.begin() + static_cast<std::ptrdiff_t>(begin), items_.end());
  items_.resize(begin);
  if (has(Op::Inverse) && below.size() > 1) {
    if (!is_reciprocal) {
      put_op(Op::Mul);
      put_factors(factor, above, 1.0);
    }
    put_op(Op::Inverse);
    put_factors(1.0, below, -1.0);
  } else {
    std::vector<Part> all = above;
    all.insert(all.end(), below.begin(), below.end());
    put_factors(factor, all, 1.0);
  }
  if (cost_from(begin) <= divided) return;
  items_.resize(begin);
  items_.insert(items_.end(), division.begin(), division.end());
}

void Writer::put_product(double factor, std::vector<Part> factors) {
  choose_scales(factor, factors);
  put_gathered(factor, std::move(factors));
}

void Writer::put_gathered(double factor, std::vector<Part> factors) {
  gather_powers(factors);
  gather_roots(factor, factors);
  put_product_as_is(factor, std::move(factors));
}

void Writer::put_product_as_is(double factor, std::vector<Part> factors) {
  turn_signs(factor, factors);
  const auto middle = std::stable_partition(factors.begin(), factors.end(),
                                            [](const Part& part) { return part.weight > 0.0; });
  const std::vector<Part> below(middle, factors.end());
  factors.erase(middle, factors.end());
  if (below.empty())
    put_factors(factor, factors, 1.0);
  else
    put_quotient(factor, factors, below);
}

}  // namespace ddsr

// Where a product holds scales that may be moved about in it: c*(P*S)^p is (P * c^(1/p)*S)^p for positive c.
#pragma once

#include <optional>
#include <vector>

#include "simplify/forms.hpp"

namespace ddsr {

// A sum among the factors of a product, or of one that a factor raises to a power; or a scaled form that a
// factor raises to a power, where the scale is negative and so cannot leave a root.
struct SumPlace {
  std::size_t factor;  // by number
  int inner;           // by number in the product below that factor; -1: what the factor raises itself
  int node;            // the sum
  double exponent;     // of the sum in the whole product
};

std::vector<SumPlace> sum_places(const Forms& forms, const std::vector<Part>& factors);

// The factors with each of these sums multiplied by its scale; none if a constant leaves the range in which
// digits are kept. What is whole but for rounding comes out whole.
std::optional<std::vector<Part>> with_scales(Forms& forms, std::vector<Part> factors,
                                             const std::vector<SumPlace>& places,
                                             const std::vector<double>& scales);

// Whether every term has a scale of its own, so that none is needed in front of the sum.
bool is_scaled_throughout(const Forms& forms, int sum);

double without_rounding(double value);

}  // namespace ddsr

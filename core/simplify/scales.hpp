// The scales in a product that can be moved within it: c*(P*S)^p is (P * c^(1/p)*S)^p for positive c.
#pragma once

#include <optional>
#include <vector>

#include "simplify/forms.hpp"

namespace ddsr {

// A sum among the factors of a product, or inside a factor that is a power of a product; or a scaled form
// that a factor raises to a power, if the scale is negative and so cannot leave a root.
struct SumPlace {
  std::size_t factor;  // index
  int inner;           // index in the product below that factor; -1: the base of the factor itself
  int node;            // the sum
  double exponent;     // of the sum in the whole product
};

std::vector<SumPlace> sum_places(const Forms& forms, const std::vector<Part>& factors);

// Returns the factors with each of these sums multiplied by its scale, or nothing if a constant leaves the
// range with full precision. Values within rounding of an integer become integers.
std::optional<std::vector<Part>> with_scales(Forms& forms, std::vector<Part> factors,
                                             const std::vector<SumPlace>& places,
                                             const std::vector<double>& scales);

// Whether every term has a scale, so that the sum needs none in front of it.
bool is_scaled_throughout(const Forms& forms, int sum);

double without_rounding(double value);

}  // namespace ddsr

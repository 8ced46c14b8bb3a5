// The price of an expression whose constants are fitted or fixed.
#pragma once

#include <functional>
#include <span>

#include "price/structure_code.hpp"

namespace ddsr {

struct NumberPrices {
  std::function<double(NumberPlace, double)>
      in_structure;                           // of a number that is part of the law, by its place
  std::function<double(double)> of_constant;  // of a simple value of a constant
};

// A fixed number is either part of the structure, as the 2 of x^2, or the value of a constant, as the 2 of 2
// * x, whichever is cheaper. An expression without a leading constant may have one of value 1. The digits of
// fitted constants are not included.
double price(const StructureCode& code, const Vocabulary& vocabulary, const Formula& formula,
             std::span<const bool> is_free, const NumberPrices& numbers);
double price(const StructureCode& code, const Structure& structure, int n_variables,
             const NumberPrices& numbers);

}  // namespace ddsr

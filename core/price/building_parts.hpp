// Functions shared by the builders of sums, products and powers.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "price/building.hpp"

namespace ddsr::building {

using Part = Structure::Part;
using Parts = std::vector<Part>;

inline bool is_whole(double value) { return std::fabs(value) < 1e6 && value == std::trunc(value); }

// A square has roots, logarithms and powers even where its base is negative.
inline bool is_even_power(const Structure& structure) {
  return structure.symbol == Symbol::Power && structure.parts[1].structure.is_number() &&
         is_whole(0.5 * structure.parts[1].structure.number);
}

// Whether a value may be factored out.
inline bool is_safe(double value) { return std::isfinite(value) && value != 0.0; }

inline bool is_power(const Structure& structure) { return structure.symbol == Symbol::Power; }

inline bool is_product(const Structure& structure) { return structure.symbol == Symbol::Product; }

inline Structure raw(Symbol symbol, Parts parts) { return {symbol, 0.0, -1, std::move(parts)}; }

inline Structure times(Structure factor, Structure structure) {
  return product_structure({{false, std::move(factor)}, {false, std::move(structure)}});
}

inline Structure times_number(double number, Structure structure) {
  return times(number_structure(number), std::move(structure));
}

inline Structure times_constant(double value, Structure structure) {
  return times(constant_structure(value), std::move(structure));
}

// Sorts the inverse parts last, and all by `compare`.
inline void sort_parts(Parts& parts) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.is_inverse != b.is_inverse) return b.is_inverse;
    return compare(a.structure, b.structure) < 0;
  });
}

// The first factor, if it has no variables, and the remaining structure.
struct Split {
  double value;
  bool is_fitted;
  Structure rest;
};

inline Split split(Structure structure) {
  if (!is_product(structure) || !structure.parts.front().structure.is_fixed())
    return {1.0, false, std::move(structure)};
  const Structure first = structure.parts.front().structure;
  structure.parts.erase(structure.parts.begin());
  return {first.number, first.is_constant(), product_structure(std::move(structure.parts))};
}

}  // namespace ddsr::building

#include "price/structure.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

using Part = Structure::Part;

Structure number_structure(double value) { return {Symbol::Number, value, -1, {}}; }
Structure constant_structure(double value) { return {Symbol::Constant, value, -1, {}}; }
Structure variable_structure(int column) { return {Symbol::Variable, 0.0, column, {}}; }

int compare(const Structure& a, const Structure& b) {
  auto order = [](auto one, auto other) { return one < other ? -1 : (other < one ? 1 : 0); };
  if (const int by = order(a.symbol, b.symbol); by != 0) return by;
  if (const int by = order(a.op, b.op); by != 0) return by;
  if (const int by = order(a.variable, b.variable); by != 0) return by;
  if (const int by = a.is_constant() ? 0 : order(a.number, b.number); by != 0) return by;
  for (std::size_t i = 0; i < std::min(a.parts.size(), b.parts.size()); ++i) {
    if (const int by = compare(a.parts[i].structure, b.parts[i].structure); by != 0) return by;
    if (const int by = order(a.parts[i].is_inverse, b.parts[i].is_inverse); by != 0) return by;
  }
  return order(a.parts.size(), b.parts.size());
}

bool is_same(const Structure& a, const Structure& b) { return compare(a, b) == 0; }

int n_constants(const Structure& structure) {
  int n = structure.is_constant() ? 1 : 0;
  for (const Part& part : structure.parts) n += n_constants(part.structure);
  return n;
}

bool has_fitted_factor(const Structure& structure) {
  return structure.is_constant() ||
         (structure.symbol == Symbol::Product && structure.parts.front().structure.is_constant());
}

}  // namespace ddsr

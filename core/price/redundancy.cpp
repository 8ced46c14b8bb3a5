#include "price/redundancy.hpp"

#include <algorithm>
#include <vector>

namespace ddsr {

namespace {

// The structure without its numeric or constant factor.
Structure without_factor(const Structure& structure) {
  if (structure.symbol != Symbol::Product || !structure.parts.front().structure.is_fixed()) return structure;
  Structure rest = structure;
  rest.parts.erase(rest.parts.begin());
  if (rest.parts.size() == 1 && !rest.parts.front().is_inverse) return rest.parts.front().structure;
  return rest;
}

bool is_power_of_variable(const Structure& structure) {
  return structure.symbol == Symbol::Power && structure.parts[0].structure.symbol == Symbol::Variable;
}

// Whether a leading constant covers one inside the structure: a factor of all its terms, or one under a root,
// a power or an exponential.
bool takes_factor(const Structure& structure) {
  if (structure.parts.empty()) return false;
  const Structure& first = structure.parts[0].structure;
  switch (structure.symbol) {
    case Symbol::Sum:
      return std::all_of(structure.parts.begin(), structure.parts.end(),
                         [](const Structure::Part& part) { return has_fitted_factor(part.structure); });
    case Symbol::Sqrt:
    case Symbol::Abs:
    case Symbol::Power:
      return has_fitted_factor(first) || (first.symbol == Symbol::Sum && takes_factor(first));
    case Symbol::Exp:
      return first.symbol == Symbol::Sum && first.parts[0].structure.is_constant();
    default:
      return false;
  }
}

bool is_redundant_product(const std::vector<Structure::Part>& factors) {
  const bool has_constant = factors.front().structure.is_constant();
  std::vector<int> variables;
  int n_exponentials = 0, n_roots = 0;
  for (const auto& [is_inverse, factor] : factors) {
    if (has_constant && takes_factor(factor)) return true;
    if (factor.symbol == Symbol::Variable) variables.push_back(factor.variable);
    if (is_power_of_variable(factor)) variables.push_back(factor.parts[0].structure.variable);
    n_exponentials += factor.symbol == Symbol::Exp, n_roots += factor.symbol == Symbol::Sqrt;
  }
  std::sort(variables.begin(), variables.end());
  const bool cancels = std::adjacent_find(variables.begin(), variables.end()) != variables.end();
  bool has_twins = false;
  for (std::size_t i = 0; i < factors.size(); ++i)
    for (std::size_t j = i + 1; j < factors.size(); ++j)
      has_twins |= is_same(factors[i].structure, factors[j].structure);
  return cancels || has_twins || n_exponentials > 1 || n_roots > 1;
}

bool is_redundant_sum(const std::vector<Structure::Part>& terms) {
  const bool has_constant = terms.front().structure.is_constant();
  for (const Structure::Part& term : terms) {
    const bool is_log = term.structure.symbol == Symbol::Log;
    if (has_constant && is_log && has_fitted_factor(term.structure.parts[0].structure)) return true;
  }
  // Two exponentials with fitted rates are different laws; two terms of any other equal structure are one.
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const Structure one = without_factor(terms[i].structure), other = without_factor(terms[j].structure);
      if (is_same(one, other) && n_constants(one) == 0) return true;
    }
  return false;
}

}  // namespace

bool is_redundant(const Structure& structure) {
  const auto& parts = structure.parts;
  if (structure.symbol == Symbol::Product && is_redundant_product(parts)) return true;
  if (structure.symbol == Symbol::Sum && is_redundant_sum(parts)) return true;
  if (structure.symbol == Symbol::Sqrt && parts[0].structure.symbol == Symbol::Exp) return true;
  if (structure.symbol == Symbol::Power && parts[0].structure.symbol == Symbol::Exp) return true;
  return std::any_of(parts.begin(), parts.end(),
                     [](const Structure::Part& part) { return is_redundant(part.structure); });
}

}  // namespace ddsr

// Moves a positive variable into a sum that it multiplies: k*(s/k + k) becomes s + k^2.
#include <algorithm>
#include <cmath>

#include "simplify/algebra.hpp"

namespace ddsr {

namespace {

// Tokens of a power in a product: none for 1, the product's sign and the variable, an exponent.
int tokens_of_power(double exponent) { return exponent == 0.0 ? 0 : std::abs(exponent) == 1.0 ? 2 : 4; }

// The same for a term of a sum. If the term has nothing else, it is written as 1, x or 1/x.
int tokens_in_term(double exponent, bool stands_alone) {
  if (!stands_alone) return tokens_of_power(exponent);
  return tokens_of_power(exponent) + (exponent > 0.0 ? -1 : 1);
}

}  // namespace

// Whether it is shorter to move the power of a variable into a sum that is raised to 1 or -1.
bool Algebra::is_shorter_inside(const Part& sum, const Part& variable) const {
  const double added = variable.weight * sum.weight;
  int saved = tokens_of_power(variable.weight);
  bool is_in_a_term = false;
  for (const Part& term : forms_.parts(sum.node)) {
    const bool is_product = forms_[term.node].shape == Shape::Product;
    double exponent = term.node == variable.node ? 1.0 : 0.0;
    bool has_others = std::abs(term.weight) != 1.0 || (!is_product && term.node != variable.node);
    if (is_product) {
      for (const Part& factor : forms_.parts(term.node)) {
        if (factor.node == variable.node)
          exponent = factor.weight;
        else
          has_others = true;
      }
    }
    is_in_a_term |= exponent != 0.0;
    saved += tokens_in_term(exponent, !has_others) - tokens_in_term(exponent + added, !has_others);
  }
  const double constant = forms_[sum.node].value;
  if (constant != 0.0) {
    const bool stands_alone = std::abs(constant) == 1.0;
    saved += tokens_in_term(0.0, stands_alone) - tokens_in_term(added, stands_alone);
  }
  return is_in_a_term && saved > 0;
}

int Algebra::multiplied_through(int sum, int factor) {
  double constant = 0.0;
  const std::vector<Part> terms = terms_of(sum, constant);
  int result = constant == 0.0 ? forms_.number(0.0) : scale(constant, factor);
  for (const Part& term : terms) result = add(result, scale(term.weight, multiply(term.node, factor)));
  return result;
}

// Moves one variable at a time. The result goes to `rest`, and multiplying it in looks for the next.
void Algebra::absorb_variables(std::vector<Part>& factors, std::vector<int>& rest) {
  for (const Part sum : factors) {
    if (!forms_.is_compound_sum(sum.node) || std::abs(sum.weight) != 1.0) continue;
    for (const Part variable : factors) {
      if (!forms_.is_positive_variable(variable.node) || !is_shorter_inside(sum, variable)) continue;
      const int factor = power(variable.node, variable.weight * sum.weight);
      rest.push_back(power(multiplied_through(sum.node, factor), sum.weight));
      std::erase(factors, sum);
      std::erase(factors, variable);
      return;
    }
  }
}

}  // namespace ddsr

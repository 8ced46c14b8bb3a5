// How a sum is written: terms of the same weight in brackets, subtraction instead of negative weights.
#include <algorithm>
#include <cmath>

#include "simplify/writer.hpp"

namespace ddsr {

namespace {

bool is_unit(double weight) { return std::abs(weight) == 1.0; }

}  // namespace

void Writer::put_term(double factor, int term) {
  if (forms_[term].shape == Shape::Product) {
    const auto parts = forms_.parts(term);
    return put_product(factor, {parts.begin(), parts.end()});
  }
  put_product(factor, {{1.0, term}});
}

// 2x + 2y + z becomes 2(x + y) + z. Without subtraction, signs have to agree, and -x - y becomes -(x + y).
void Writer::gather_terms(double& constant, std::vector<Part>& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double weight = terms[i].weight;
    if (is_unit(weight) && (has(Op::Sub) || weight == 1.0)) continue;
    auto is_alike = [&](double other) {
      return has(Op::Sub) ? std::abs(other) == std::abs(weight) : other == weight;
    };
    const bool takes_constant = !is_unit(weight) && one_ >= 0 && is_alike(constant);
    std::vector<Part> bracket;
    for (std::size_t j = i; j < terms.size(); ++j)
      if (is_alike(terms[j].weight)) bracket.push_back({terms[j].weight / weight, terms[j].node});
    if (bracket.size() + takes_constant < 2) continue;
    const int inner = forms_.sum(takes_constant ? constant / weight : 0.0, bracket);
    if (takes_constant) constant = 0.0;
    std::erase_if(terms, [&](const Part& term) { return is_alike(term.weight); });
    terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, terms.size())), {weight, inner});
  }
}

// c*log(u) + c*log(v) becomes c*log(u*v), c*log(u) - c*log(v) becomes c*log(u/v). Both are shorter and finite
// wherever the logarithms are.
void Writer::gather_logarithms(std::vector<Part>& terms) {
  if (!has(Op::Mul) || !has(Op::Div)) return;
  // The logarithm of a number, such as log(-1), has no value, and stays visible.
  auto is_log = [&](const Part& term) {
    return forms_.is_call(term.node, Op::Log) && !forms_.is_number(forms_[term.node].a);
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!is_log(terms[i])) continue;
    const double size = std::abs(terms[i].weight);
    auto is_alike = [&](const Part& term) { return is_log(term) && std::abs(term.weight) == size; };
    if (std::ranges::count_if(terms, is_alike) < 2) continue;
    const auto leader =
        std::ranges::find_if(terms, [&](const Part& t) { return is_alike(t) && t.weight > 0.0; });
    const double weight = leader == terms.end() ? -size : size;
    std::vector<Part> factors;
    for (const Part& term : terms)
      if (is_alike(term)) factors.push_back({term.weight / weight, forms_[term.node].a});
    std::ranges::sort(factors, {}, &Part::node);
    const int gathered = forms_.call(Op::Log, forms_.product(factors));
    std::erase_if(terms, is_alike);
    terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, terms.size())), {weight, gathered});
  }
}

void Writer::put_sum(double constant, std::vector<Part> terms) {
  gather_logarithms(terms);
  gather_terms(constant, terms);
  if (terms.size() == 1 && constant == 0.0) return put_term(terms[0].weight, terms[0].node);
  // A positive term leads; otherwise the constant, or a term whose weight can carry the sign at no cost.
  auto leader = std::ranges::find_if(terms, [](const Part& term) { return term.weight > 0.0; });
  const bool constant_leads = leader == terms.end() && constant != 0.0;
  if (leader == terms.end())
    leader = std::ranges::find_if(terms, [](const Part& term) { return !is_unit(term.weight); });
  if (leader == terms.end()) leader = terms.begin();
  if (!constant_leads) std::rotate(terms.begin(), leader, leader + 1);

  auto joint = [&](double weight) { return weight < 0.0 && has(Op::Sub) ? Op::Sub : Op::Add; };
  const std::size_t first = constant_leads ? 0 : 1;
  if (!constant_leads && constant != 0.0) put_op(joint(constant));
  for (std::size_t i = terms.size(); i-- > first;) put_op(joint(terms[i].weight));
  if (constant_leads) put_number(constant);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double weight = terms[i].weight;
    put_term(i >= first && joint(weight) == Op::Sub ? -weight : weight, terms[i].node);
  }
  if (!constant_leads && constant != 0.0) put_number(joint(constant) == Op::Sub ? -constant : constant);
}

}  // namespace ddsr

#include <map>

#include "price/building_parts.hpp"

namespace ddsr {

using namespace building;

namespace {

// A variable, a power of one, or a product of these.
bool is_monomial(const Structure& structure) {
  switch (structure.symbol) {
    case Symbol::Variable:
      return true;
    case Symbol::Power:
      return is_monomial(structure.parts[0].structure);
    case Symbol::Product:
      return std::all_of(structure.parts.begin(), structure.parts.end(), [](const Part& part) {
        return part.structure.is_fixed() || is_monomial(part.structure);
      });
    default:
      return false;
  }
}

// Squares are written separately, x^2 / y^2; higher powers are grouped.
constexpr double LEAST_EXPONENT_OF_GROUP = 3.0;

// Several variables to one power, as in (x / y)^6.
bool is_group(const Structure& structure) {
  if (!is_power(structure) || !is_product(structure.parts[0].structure)) return false;
  const Parts& bases = structure.parts[0].structure.parts;
  return structure.parts[1].structure.is_number() && is_whole(structure.parts[1].structure.number) &&
         std::all_of(bases.begin(), bases.end(),
                     [](const Part& part) { return part.structure.symbol == Symbol::Variable; });
}

std::ptrdiff_t n_unfitted(const Parts& terms) {
  return std::count_if(terms.begin(), terms.end(),
                       [](const Part& term) { return !has_fitted_factor(term.structure); });
}

// Divides a sum with a fitted factor so that one term has no factor: x in c + x, or the 1 in 1 + c * exp(x).
// With `keeps_sign` the divisor is positive. Returns the divisor, or 0 if there is none.
double scale_to_one(Structure& sum, bool keeps_sign) {
  Parts& terms = sum.parts;
  const bool has_fixed = terms.front().structure.is_fixed();
  const std::size_t bare = has_fixed && is_monomial(terms[1].structure) ? 1 : 0;
  auto value_of = [](const Part& term) {
    const Structure& given = term.structure;
    const Structure& first = is_product(given) ? given.parts.front().structure : given;
    const double value = first.is_fixed() ? first.number : 1.0;
    return term.is_inverse ? -value : value;
  };
  double scale = value_of(terms[bare]);
  if (!is_safe(scale)) return 0.0;
  const bool is_below = keeps_sign && scale < 0.0;
  if (is_below) scale = -scale;
  Parts scaled;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double value = value_of(terms[i]) / scale;
    Structure& term = terms[i].structure;
    if (term.is_fixed()) {
      scaled.push_back(
          {i == bare && is_below, i == bare ? number_structure(1.0) : constant_structure(value)});
      continue;
    }
    Structure rest = split(std::move(term)).rest;
    if (i == bare)
      scaled.push_back({is_below, std::move(rest)});
    else
      scaled.push_back({false, times_constant(value, std::move(rest))});
  }
  sum = sum_structure(std::move(scaled));
  return scale;
}

// Removes a redundant constant from a factor and returns it, or 0 if there is none.
double pull_constant(Structure& factor, bool has_constant) {
  if (factor.symbol == Symbol::Sum) {
    const std::ptrdiff_t n_bare = n_unfitted(factor.parts);
    if (n_bare > 1 || (n_bare == 1 && !has_constant)) return 0.0;
    return scale_to_one(factor, false);
  }
  const bool is_root = factor.symbol == Symbol::Sqrt;
  if (!is_root && factor.symbol != Symbol::Abs && !(is_power(factor) && factor.parts[1].structure.is_fixed()))
    return 0.0;
  Structure& sum = factor.parts[0].structure;
  if (sum.symbol != Symbol::Sum) return 0.0;
  const std::ptrdiff_t n_bare = n_unfitted(sum.parts);
  if (n_bare > 1 || (n_bare == 1 && !has_constant)) return 0.0;
  const Structure& exponent = factor.parts.back().structure;
  const bool takes_sign = is_power(factor) && exponent.is_number() && is_whole(exponent.number);
  const double scale = scale_to_one(sum, !takes_sign);
  if (is_root) return std::sqrt(scale);
  return is_power(factor) && scale != 0.0 ? std::pow(scale, factor.parts[1].structure.number) : scale;
}

// All factors of nested products, with equal ones combined.
class Factors {
 public:
  void take(bool is_inverse, Structure factor) {
    switch (factor.symbol) {
      case Symbol::Product:
        for (Part& part : factor.parts) take(is_inverse != part.is_inverse, std::move(part.structure));
        return;
      case Symbol::Constant:
        take_constant(is_inverse ? 1.0 / factor.number : factor.number);
        return;
      case Symbol::Number:
        number_ = is_inverse ? number_ / factor.number : number_ * factor.number;
        return;
      case Symbol::Variable:
        powers_[factor.variable] += is_inverse ? -1.0 : 1.0;
        return;
      case Symbol::Sqrt:
        take_root(is_inverse, std::move(factor.parts[0].structure));
        return;
      case Symbol::Exp:
        exponents_.push_back({is_inverse, std::move(factor.parts[0].structure)});
        return;
      case Symbol::Power:
        take_power(is_inverse, std::move(factor));
        return;
      default:
        others_.push_back({is_inverse, std::move(factor)});
    }
  }

  Structure made() {
    if (!has_constant_ && number_ == 0.0) return number_structure(0.0);
    take_exponential();
    take_powers();
    take_radicand();
    merge_twins();
    for (Part& part : others_) {
      const bool is_alone = others_.size() == 1 && part.structure.symbol == Symbol::Sum && !part.is_inverse;
      if (has_constant_ || !is_alone) pull(part);
    }
    if (others_.empty()) return has_constant_ ? constant_structure(value()) : number_structure(number_);
    sort_parts(others_);
    if (has_constant_)
      others_.insert(others_.begin(), {false, constant_structure(value())});
    else if (number_ != 1.0)
      others_.insert(others_.begin(), {false, number_structure(number_)});
    return whole();
  }

 private:
  double value() const { return constant_ * number_; }

  void take_constant(double value) { has_constant_ = true, constant_ *= value; }

  void pull(Part& part) {
    const double scale = pull_constant(part.structure, has_constant_);
    if (scale != 0.0) take_constant(part.is_inverse ? 1.0 / scale : scale);
  }

  void take_power(bool is_inverse, Structure power) {
    Structure& base = power.parts[0].structure;
    Structure& exponent = power.parts[1].structure;
    if (is_group(power)) {
      for (Part& part : base.parts)
        take_power(is_inverse != part.is_inverse,
                   raw(Symbol::Power, {{false, std::move(part.structure)}, {false, exponent}}));
      return;
    }
    if (base.symbol == Symbol::Variable && exponent.is_number() && is_whole(2.0 * exponent.number)) {
      powers_[base.variable] += is_inverse ? -exponent.number : exponent.number;
      return;
    }
    const bool has_own_sign = !has_fitted_factor(exponent);
    if (is_inverse && !has_own_sign) exponent = times_number(-1.0, std::move(exponent));
    others_.push_back({is_inverse && has_own_sign, std::move(power)});
  }

  // sqrt(a * b) becomes sqrt(a) * sqrt(b).
  void take_root(bool is_inverse, Structure of) {
    if (is_group(of)) {
      for (Part& part : of.parts[0].structure.parts)
        take_root(is_inverse != part.is_inverse,
                  raw(Symbol::Power, {{false, std::move(part.structure)}, of.parts[1]}));
      return;
    }
    const double half = is_inverse ? -0.5 : 0.5;
    switch (of.symbol) {
      case Symbol::Product:
        for (Part& part : of.parts) take_root(is_inverse != part.is_inverse, std::move(part.structure));
        return;
      case Symbol::Constant: {
        const double root = std::sqrt(std::fabs(of.number));
        take_constant(is_inverse ? 1.0 / root : root);
        if (of.number < 0.0) number_of_root_ = -number_of_root_;
        return;
      }
      case Symbol::Number:
        number_of_root_ *= is_inverse ? 1.0 / of.number : of.number;
        return;
      case Symbol::Variable:
        powers_[of.variable] += half;
        return;
      case Symbol::Exp:
        exponents_.push_back({is_inverse, times_number(0.5, std::move(of.parts[0].structure))});
        return;
      case Symbol::Power:
        if (of.parts[0].structure.symbol == Symbol::Variable && of.parts[1].structure.is_number() &&
            is_whole(of.parts[1].structure.number) && !is_whole(0.5 * of.parts[1].structure.number)) {
          powers_[of.parts[0].structure.variable] += half * of.parts[1].structure.number;
          return;
        }
        [[fallthrough]];
      default:
        roots_.push_back({is_inverse, std::move(of)});
    }
  }

  // exp(a) * exp(b) becomes exp(a + b), and exp(c + x) becomes c * exp(x).
  void take_exponential() {
    if (exponents_.empty()) return;
    Structure sum = sum_structure(std::move(exponents_));
    if (sum.symbol == Symbol::Sum && sum.parts.front().structure.is_constant() &&
        is_safe(std::exp(sum.parts.front().structure.number))) {
      take_constant(std::exp(sum.parts.front().structure.number));
      sum.parts.erase(sum.parts.begin());
      sum = sum_structure(std::move(sum.parts));
    }
    if (sum.is_constant())
      take_constant(std::exp(sum.number));
    else if (sum.is_number())
      number_ *= std::exp(sum.number);
    else
      others_.push_back({false, raw(Symbol::Exp, {{false, std::move(sum)}})});
  }

  // x^1.5 becomes x * sqrt(x), and x * x^c becomes x^c.
  void take_powers() {
    for (Part& part : others_) {
      Structure& structure = part.structure;
      if (!is_power(structure) || !structure.parts[1].structure.is_constant()) continue;
      const auto found = powers_.find(structure.parts[0].structure.variable);
      if (found == powers_.end() || structure.parts[0].structure.symbol != Symbol::Variable) continue;
      structure.parts[1].structure.number += found->second;
      powers_.erase(found);
    }
    std::map<double, Parts> high;  // by exponent
    for (const auto& [variable, exponent] : powers_) {
      const double size = std::fabs(exponent), whole = std::floor(size);
      const Part base = {exponent < 0.0, variable_structure(variable)};
      if (size > whole) roots_.push_back(base);
      if (whole > 0.0) (whole < LEAST_EXPONENT_OF_GROUP ? others_ : high[whole]).push_back(base);
      if (whole == 2.0) others_.back().structure = power_of(base.structure, whole);
    }
    for (auto& [exponent, bases] : high) take_high_powers(exponent, std::move(bases));
  }

  static Structure power_of(Structure base, double exponent) {
    return raw(Symbol::Power, {{false, std::move(base)}, {false, number_structure(exponent)}});
  }

  // x^6 / y^6 becomes (x / y)^6.
  void take_high_powers(double exponent, Parts bases) {
    const bool is_inverse =
        std::all_of(bases.begin(), bases.end(), [](const Part& part) { return part.is_inverse; });
    if (is_inverse)
      for (Part& part : bases) part.is_inverse = false;
    sort_parts(bases);
    Structure base =
        bases.size() == 1 ? std::move(bases.front().structure) : raw(Symbol::Product, std::move(bases));
    others_.push_back({is_inverse, power_of(std::move(base), exponent)});
  }

  void take_radicand() {
    if (roots_.empty()) {
      number_ *= std::sqrt(number_of_root_);
      return;
    }
    for (Part& part : roots_) {
      if (part.structure.symbol != Symbol::Sum) continue;
      Structure root = raw(Symbol::Sqrt, {{false, std::move(part.structure)}});
      const double scale = pull_constant(root, has_constant_);
      if (scale != 0.0) take_constant(part.is_inverse ? 1.0 / scale : scale);
      part.structure = std::move(root.parts[0].structure);
    }
    if (has_constant_) {
      constant_ *= std::sqrt(std::fabs(number_of_root_));
      number_of_root_ = number_of_root_ < 0.0 ? -1.0 : 1.0;
    }
    const bool is_inverse =
        std::all_of(roots_.begin(), roots_.end(), [](const Part& part) { return part.is_inverse; });
    if (is_inverse) {
      for (Part& part : roots_) part.is_inverse = false;
      number_of_root_ = 1.0 / number_of_root_;
    }
    sort_parts(roots_);
    if (number_of_root_ != 1.0) roots_.insert(roots_.begin(), {false, number_structure(number_of_root_)});
    Structure radicand =
        roots_.size() == 1 ? std::move(roots_.front().structure) : raw(Symbol::Product, std::move(roots_));
    others_.push_back({is_inverse, raw(Symbol::Sqrt, {{false, std::move(radicand)}})});
  }

  // (x + y) * (x + y) becomes (x + y)^2; (x + y) / (x + y) cancels.
  void merge_twins() {
    for (std::size_t i = 0; i < others_.size(); ++i)
      for (std::size_t j = i + 1; j < others_.size(); ++j) {
        Part &one = others_[i], &other = others_[j];
        if (!is_same(one.structure, other.structure) || n_constants(one.structure) > 0) continue;
        const bool cancels = one.is_inverse != other.is_inverse;
        if (!cancels) one.structure = power_structure(std::move(one.structure), number_structure(2.0));
        others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(j));
        if (cancels) others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(i));
        merge_twins();
        return;
      }
  }

  Structure whole() {
    if (others_.size() == 1 && !others_.front().is_inverse) return std::move(others_.front().structure);
    const bool is_scaled_sum =
        others_.size() == 2 && others_[1].structure.symbol == Symbol::Sum && !others_[1].is_inverse;
    if (is_scaled_sum && others_[0].structure.is_constant() && n_unfitted(others_[1].structure.parts) < 2) {
      Parts& terms = others_[1].structure.parts;
      for (Part& term : terms) {
        const double value = term.is_inverse ? -others_[0].structure.number : others_[0].structure.number;
        term = {false, times_constant(value, std::move(term.structure))};
      }
      return sum_structure(std::move(terms));
    }
    if (is_scaled_sum && is_negated_difference()) {  // -(x - y) is y - x
      for (Part& part : others_[1].structure.parts) part.is_inverse = !part.is_inverse;
      return sum_structure(std::move(others_[1].structure.parts));
    }
    return raw(Symbol::Product, std::move(others_));
  }

  bool is_negated_difference() const {
    const Parts& terms = others_[1].structure.parts;
    const Structure& first = others_[0].structure;
    return first.is_number() && first.number == -1.0 &&
           std::any_of(terms.begin(), terms.end(), [](const Part& part) { return part.is_inverse; });
  }

  Parts others_, roots_, exponents_;
  std::map<int, double> powers_;  // of variables: integers and halves
  double number_ = 1.0, number_of_root_ = 1.0, constant_ = 1.0;
  bool has_constant_ = false;
};

}  // namespace

Structure product_structure(Parts given) {
  Factors factors;
  for (Part& part : given) factors.take(part.is_inverse, std::move(part.structure));
  return factors.made();
}

}  // namespace ddsr

#include "examples/freedom.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "examples/writing.hpp"
#include "simplify/forms.hpp"

namespace ddsr {

namespace {

using Kind_ = Item::Kind;

class Stripper {
 public:
  explicit Stripper(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  // Below an even function, -u and u are equivalent: one of them is chosen.
  Item with_chosen_signs(Item item) const {
    for (auto* parts : {&item.plus, &item.minus})
      for (Item& part : *parts) part = with_chosen_signs(std::move(part));
    const bool is_even_power =
        item.is_call(Op::Pow) && item.plus[1].is(Kind_::Number) && is_even(item.plus[1].value);
    const bool is_even_call = is_even_power || (item.is(Kind_::Call) && row_of(item.op).is_even());
    if (is_even_call && item.plus[0].is(Kind_::Sum)) item.plus[0] = shortest(item.plus[0], {1.0, -1.0});
    return item;
  }

  // a f + b is equivalent to f.
  Item affine(Item item) const {
    if (item.is(Kind_::Sum)) {
      item.value = 0.0;
      Item rest = collapsed(std::move(item));
      return rest.is(Kind_::Sum) ? scaled_sum(std::move(rest), true) : affine(std::move(rest));
    }
    if (item.is(Kind_::Product) && item.value != 1.0) return affine(with_coefficient(std::move(item), 1.0));
    if (item.is_call(Op::Log)) return logarithm(std::move(item));
    return scale(std::move(item), true);
  }

 private:
  // a f is equivalent to f: for every a, or only for positive ones if `is_signed` is false.
  Item scale(Item item, bool is_signed) const {
    switch (item.kind) {
      case Kind_::Sum:
        return scaled_sum(std::move(item), is_signed);
      case Kind_::Product:
        return scaled_product(std::move(item), is_signed);
      case Kind_::Call:
        return scaled_call(std::move(item), is_signed);
      default:
        return item;
    }
  }

  Item scaled_product(Item item, bool is_signed) const {
    Item result;
    result.kind = Kind_::Product;
    result.value = is_signed || item.value > 0.0 ? 1.0 : -1.0;
    for (Item& part : item.plus) add_factor(result, scale(std::move(part), is_signed), false);
    for (Item& part : item.minus) add_factor(result, scale(std::move(part), is_signed), true);
    if (is_signed) result.value = 1.0;
    return collapsed(std::move(result));
  }

  Item scaled_call(Item item, bool is_signed) const {
    Item& first = item.plus[0];
    if (item.op == Op::Sqrt) {
      first = scale(std::move(first), false);
    } else if (item.op == Op::Pow && item.plus[1].is(Kind_::Number)) {
      const double exponent = item.plus[1].value;
      first = scale(std::move(first), is_even(exponent) || (is_signed && is_whole(exponent)));
    } else if (item.op == Op::Exp && first.is(Kind_::Sum)) {
      first.value = 0.0;
      first = collapsed(std::move(first));
    }
    return item;
  }

  // log(a u) is log(u) plus an offset, and log(1 / u) is -log(u).
  Item logarithm(Item item) const {
    Item& argument = item.plus[0];
    argument = scale(std::move(argument), false);
    if (argument.is(Kind_::Product) && argument.value == 1.0 && !argument.minus.empty()) {
      Item turned = argument;
      std::swap(turned.plus, turned.minus);
      turned = collapsed(std::move(turned));
      const Formula now = written(vocabulary_, argument), then = written(vocabulary_, turned);
      if (comes_before(vocabulary_, then, now)) argument = std::move(turned);
    }
    return item;
  }

  // Divides the sum by one of its coefficients.
  Item scaled_sum(Item item, bool is_signed) const {
    std::vector<double> divisors;
    for (const Item& term : item.plus) divisors.push_back(coefficient_of(term));
    if (!item.minus.empty()) divisors.push_back(-1.0);
    if (item.value != 0.0) divisors.push_back(item.value);
    if (!is_signed)
      for (double& divisor : divisors) divisor = std::fabs(divisor);
    return shortest(item, divisors);
  }

  // The sum divided by the number that gives the shortest form.
  Item shortest(const Item& sum, const std::vector<double>& divisors) const {
    Item best;
    Formula best_form;
    std::array<double, 5> least{};
    for (const double divisor : divisors) {
      Item candidate = divided(sum, divisor);
      Formula form = written(vocabulary_, candidate);
      const auto cost = cost_of_form(form, candidate);
      const bool is_better = best_form.tokens.empty() || cost < least ||
                             (cost == least && comes_before(vocabulary_, form, best_form));
      if (is_better) best = std::move(candidate), best_form = std::move(form), least = cost;
    }
    return best;
  }

  static Item divided(const Item& item, double divisor) {
    Item result;
    result.kind = Kind_::Sum;
    result.value = item.value / divisor;
    for (const bool is_minus : {false, true})
      for (const Item& term : is_minus ? item.minus : item.plus)
        add_term(result, with_coefficient(term, coefficient_of(term) / divisor), is_minus);
    return collapsed(std::move(result));
  }

  // Tokens, constants, non-integers, subtracted terms, and negative numbers.
  static std::array<double, 5> cost_of_form(const Formula& form, const Item& item) {
    const auto count = [&](auto holds) {
      return static_cast<double>(std::ranges::count_if(form.constants, holds));
    };
    return {static_cast<double>(form.tokens.size()), static_cast<double>(form.constants.size()),
            count([](double value) { return !is_whole(value); }), static_cast<double>(item.minus.size()),
            count([](double value) { return value < 0.0; })};
  }

  const Vocabulary& vocabulary_;
};

}  // namespace

Item without_scale_and_offset(const Vocabulary& vocabulary, Item item) {
  const Stripper stripper(vocabulary);
  return stripper.with_chosen_signs(stripper.affine(std::move(item)));
}

}  // namespace ddsr

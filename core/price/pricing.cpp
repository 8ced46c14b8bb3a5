#include "price/pricing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "price/building_parts.hpp"
#include "price/reading.hpp"

namespace ddsr {

namespace {

constexpr double MINUS_NATS = 2.3;       // one formula in ten begins with a minus
constexpr double SAVED_BY_OTHERS = 1.4;  // if one constant of a law is simple, four in five of the others are

double whole_price(const StructureCode& code, const Structure& structure, int n_variables,
                   const NumberPrices& numbers) {
  const Description all = described(structure);
  double sum = static_cast<double>(all.variables.size()) * std::log(n_variables);
  for (const Choice& choice : all.choices) sum += code.nats(choice);
  for (const auto& [place, value] : all.numbers) sum += numbers.in_structure(place, value);
  return code.known().nats(structure, n_variables, sum);
}

// A number of the structure.
struct NumberFound {
  Structure::Part* part;
  bool is_exponent;
};

void find_numbers(Structure& structure, std::vector<NumberFound>& found) {
  for (Structure::Part& part : structure.parts) {
    const bool is_exponent = structure.symbol == Symbol::Power && &part == &structure.parts.back();
    if (part.structure.is_number()) found.push_back({&part, is_exponent});
    find_numbers(part.structure, found);
  }
}

void add_numbers(const Structure& structure, std::vector<double>& values) {
  for (const Structure::Part& part : structure.parts) {
    if (part.structure.is_number()) values.push_back(part.structure.number);
    add_numbers(part.structure, values);
  }
}

std::vector<double> numbers_in(const Structure& structure) {
  std::vector<double> values;
  add_numbers(structure, values);
  std::sort(values.begin(), values.end());
  return values;
}

// Nats of the simple values of a law's constants. A 1 says nothing of the others.
struct SimpleValues {
  double nats = 0.0;
  bool has_any = false;

  // What one more value costs here that costs `nats_alone` by itself.
  double nats_of(double value, double nats_alone) const {
    return nats_alone - (has_any && std::fabs(value) != 1.0 ? SAVED_BY_OTHERS : 0.0);
  }
  void add(double value, double its_nats) {
    nats += its_nats;
    has_any = has_any || std::fabs(value) != 1.0;
  }
};

// The price of the ratio of two constants: a constant that happens to be simple, or a factor where other
// formulas have a constant. The sign of a constant carries no information.
double nats_of_ratio(const StructureCode& code, double ratio, const NumberPrices& numbers,
                     const SimpleValues& others) {
  const double as_constant = others.nats_of(ratio, numbers.of_constant(ratio));
  if (std::fabs(ratio) == 1.0) return as_constant;  // a factor of 1 is not written
  const double of_sign = ratio < 0.0 ? std::log(2.0) : 0.0;
  const double of_size = numbers.in_structure(NumberPlace::Product, std::fabs(ratio));
  return std::min(as_constant, code.nats_of_being_factor() + of_sign + of_size);
}

// Prices c * (x - 2 * y) as c * x + c * y with the ratio -2 of its constants. The values are in addition to
// those priced already, which are not included.
double price_with_ratios(const StructureCode& code, const Structure& structure, int n_variables,
                         const NumberPrices& numbers, SimpleValues values = {}) {
  constexpr double NO_PRICE = std::numeric_limits<double>::infinity();
  const bool is_scaled_sum = structure.symbol == Symbol::Product && structure.parts.size() == 2 &&
                             structure.parts[0].structure.is_constant() && !structure.parts[1].is_inverse &&
                             structure.parts[1].structure.symbol == Symbol::Sum;
  if (!is_scaled_sum) return NO_PRICE;
  const double of_others = values.nats;
  std::vector<Structure::Part> terms;
  for (const auto& [is_inverse, term] : structure.parts[1].structure.parts) {
    if (term.is_fixed() || has_fitted_factor(term)) return NO_PRICE;
    auto [value, is_fitted, rest] = building::split(term);
    if (is_inverse) value = -value;
    if (!terms.empty())
      values.add(value, nats_of_ratio(code, value, numbers, values));
    else if (value != 1.0)  // otherwise it could not be reconstructed
      return NO_PRICE;
    terms.push_back({false, building::times_constant(ANY_VALUE, std::move(rest))});
  }
  return whole_price(code, sum_structure(std::move(terms)), n_variables, numbers) + values.nats - of_others;
}

// Prices 4 * pi * x * y as a number before x * y.
double price_behind_number(const StructureCode& code, const Structure& structure, int n_variables,
                           const NumberPrices& numbers) {
  if (structure.symbol != Symbol::Product || !structure.parts.front().structure.is_number())
    return std::numeric_limits<double>::infinity();
  auto [value, is_fitted, rest] = building::split(structure);
  return whole_price(code, rest, n_variables, numbers) + code.nats_of_leading_number() +
         numbers.in_structure(NumberPlace::Product, value);
}

// Prices a structure in which a number became a constant. It is rebuilt, exp(c + x) as c * exp(x), unless the
// constant would then cover other numbers as well.
double price_with_constant(const StructureCode& code, Structure& structure, int n_variables,
                           const NumberPrices& numbers, const SimpleValues& values) {
  Structure written = rebuilt(structure);
  const double as_it_is = std::min(whole_price(code, structure, n_variables, numbers),
                                   price_with_ratios(code, structure, n_variables, numbers, values));
  if (numbers_in(written) != numbers_in(structure) || n_constants(written) != n_constants(structure))
    return as_it_is;
  return std::min(as_it_is, whole_price(code, written, n_variables, numbers));
}

// Each number is either part of the structure or the value of a constant, whichever is cheaper.
double cheapest_price(const StructureCode& code, Structure structure, int n_variables,
                      const NumberPrices& numbers) {
  double least = std::min({whole_price(code, structure, n_variables, numbers),
                           price_with_ratios(code, structure, n_variables, numbers),
                           price_behind_number(code, structure, n_variables, numbers)});
  SimpleValues values;
  std::vector<NumberFound> found;
  find_numbers(structure, found);
  for (const auto& [part, is_exponent] : found) {
    const Structure::Part number = *part;
    const double value = (number.is_inverse ? -1.0 : 1.0) * number.structure.number;  // a sum subtracts it
    SimpleValues with_it = values;
    with_it.add(value, values.nats_of(value, numbers.of_constant(value)));
    if (is_exponent) {  // x^4 as x^c with the exponent 4
      const double of_exponent =
          code.nats_of_being_exponent() + numbers.in_structure(NumberPlace::Exponent, value);
      if (values.nats + of_exponent < with_it.nats) with_it = {values.nats + of_exponent, values.has_any};
    }
    *part = {false, constant_structure()};
    const double nats = price_with_constant(code, structure, n_variables, numbers, with_it) + with_it.nats;
    if (nats < least)
      least = nats, values = with_it;
    else
      *part = number;
  }
  return least;
}

// -f costs as much as f, plus the sign.
double signed_price(const StructureCode& code, const Structure& structure, int n_variables,
                    const NumberPrices& numbers) {
  const double as_it_is = cheapest_price(code, structure, n_variables, numbers);
  if (structure.symbol != Symbol::Product) return as_it_is;
  const Structure& first = structure.parts.front().structure;
  if (!first.is_number() || first.number >= 0.0) return as_it_is;
  Structure positive = product_structure({{false, number_structure(-1.0)}, {false, structure}});
  return std::min(as_it_is, cheapest_price(code, std::move(positive), n_variables, numbers) + MINUS_NATS);
}

}  // namespace

double price(const StructureCode& code, const Vocabulary& vocabulary, const Formula& formula,
             std::span<const bool> is_free, const NumberPrices& numbers) {
  return price(code, structure_of(vocabulary, formula, is_free), n_variables_read(vocabulary), numbers);
}

double price(const StructureCode& code, const Structure& structure, int n_variables,
             const NumberPrices& numbers) {
  const double bare = signed_price(code, structure, n_variables, numbers);
  Structure scaled = product_structure({{false, constant_structure()}, {false, structure}});
  // otherwise the constant would cover more than the 1, such as the 2 of 2 * x
  const bool is_of_value_one = numbers_in(scaled) == numbers_in(structure);
  if (has_fitted_factor(structure) || !is_of_value_one) return bare;
  const double with_one = cheapest_price(code, std::move(scaled), n_variables, numbers);
  return std::min(bare, with_one + numbers.of_constant(1.0));
}

}  // namespace ddsr

#include "price/table_price.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "price/building.hpp"
#include "price/pricing.hpp"
#include "price/reading.hpp"

namespace ddsr {

namespace {

// The price of a number that is rare in formulas.
constexpr double NATS_OF_RARE = 12.0;

Structure read(const Vocabulary& vocabulary, const Formula& formula) {
  const std::size_t n = formula.constants.size();
  const std::unique_ptr<bool[]> is_free(new bool[n]);
  std::fill_n(is_free.get(), n, true);
  return structure_of(vocabulary, formula, {is_free.get(), n});
}

double nats_in(const TablePrice::Reading& reading, NumberPlace place, double value) {
  const std::vector<PricedNumber>& numbers = reading.numbers[static_cast<std::size_t>(place)];
  const auto found = std::ranges::find(numbers, value, &PricedNumber::value);
  return found != numbers.end() ? found->nats : NATS_OF_RARE;
}

}  // namespace

TablePrice::TablePrice(Reading fitted, Reading columns) : readings_{std::move(fitted), std::move(columns)} {}

double TablePrice::of_structure(const Structure& structure, int n_variables) const {
  double least = 1e300;
  for (const Reading& reading : readings_) {
    const NumberPrices numbers{
        [&](NumberPlace place, double value) { return nats_in(reading, place, value); },
        [](double) { return NATS_OF_RARE; }};
    least = std::min(least, reading.nats + price(*reading.code, structure, n_variables, numbers));
  }
  return least;
}

double TablePrice::operator()(const Vocabulary& vocabulary, const Formula& formula) const {
  return of_structure(read(vocabulary, formula), n_variables_read(vocabulary));
}

double TablePrice::scaled(const Vocabulary& vocabulary, const Formula& formula) const {
  const int n_variables = n_variables_read(vocabulary);
  const Structure scaled =
      product_structure({{false, constant_structure()}, {false, read(vocabulary, formula)}});
  const Structure shifted = sum_structure({{false, constant_structure()}, {false, scaled}});
  return std::min(of_structure(scaled, n_variables), of_structure(shifted, n_variables));
}

}  // namespace ddsr

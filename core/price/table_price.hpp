// The price of the structure of a search candidate, all of whose constants are fitted.
//
// A table has two codes: in one, the symbols of a law that are not columns are fitted constants; in the
// other, all symbols are columns. The cheaper one counts, plus the nats to name it (src/ddsr/price).
#pragma once

#include <array>
#include <vector>

#include "price/enumeration.hpp"
#include "price/structure_code.hpp"

namespace ddsr {

class TablePrice {
 public:
  struct Reading {
    const StructureCode* code;                                       // must outlive the price
    double nats;                                                     // to name this code
    std::array<std::vector<PricedNumber>, N_NUMBER_PLACES> numbers;  // the common ones
  };

  TablePrice(Reading fitted, Reading columns);

  double operator()(const Vocabulary& vocabulary, const Formula& formula) const;
  // The same with a fitted factor before it and, if that is cheaper, a fitted offset.
  double scaled(const Vocabulary& vocabulary, const Formula& formula) const;

 private:
  double of_structure(const Structure& structure, int n_variables) const;

  std::array<Reading, 2> readings_;
};

}  // namespace ddsr

// What it takes to write the structure of a candidate of the search, all of whose constants are fitted.
//
// A table has two codes: in one the symbols of a law beside the columns are fitted constants, in the other
// all symbols are columns. Whichever is shorter counts, with what it takes to say which (src/ddsr/price).
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
    double nats;                                                     // to say that it is this one
    std::array<std::vector<PricedNumber>, N_NUMBER_PLACES> numbers;  // the common ones
  };

  TablePrice(Reading fitted, Reading columns);

  double operator()(const Vocabulary& vocabulary, const Formula& formula) const;
  // The same with a fitted factor before it, and with a fitted offset where that is cheaper.
  double scaled(const Vocabulary& vocabulary, const Formula& formula) const;

 private:
  double of_structure(const Structure& structure, int n_variables) const;

  std::array<Reading, 2> readings_;
};

}  // namespace ddsr

// All structures up to a price, the cheapest first.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "price/structure_code.hpp"

namespace ddsr {

// A number that may stand in a structure, and what it takes to write its value.
struct PricedNumber {
  double value;
  double nats;
};

struct EnumerationOptions {
  int n_variables = 1;
  std::array<bool, N_SYMBOLS> is_allowed{};                        // which symbols may occur
  std::array<std::vector<PricedNumber>, N_NUMBER_PLACES> numbers;  // by NumberPlace
  double most_nats = 13.0;
  std::size_t most_structures = 10'000;
  std::size_t most_open = 4'000'000;  // partial structures held at a time
};

struct PricedStructure {
  double nats;  // with the values of its numbers and the columns of its variables
  Structure structure;
};

// Known forms are among them, however many choices they take. Structures that another one writes with fewer
// constants, as c * sqrt(c * x) is c * sqrt(x), are left out.
std::vector<PricedStructure> cheapest_structures(const StructureCode& code,
                                                 const EnumerationOptions& options);

// The cheapest of two lists, each structure once, at the lower of its prices.
std::vector<PricedStructure> merged(std::vector<PricedStructure> first, std::vector<PricedStructure> second,
                                    std::size_t most);

}  // namespace ddsr

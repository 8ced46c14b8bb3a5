// Lists all structures up to a price, cheapest first.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "price/structure_code.hpp"

namespace ddsr {

// A number that may occur in a structure, and the price of its value.
struct PricedNumber {
  double value;
  double nats;
};

struct EnumerationOptions {
  int n_variables = 1;
  std::array<bool, N_SYMBOLS> is_allowed{};                        // symbols that may occur
  std::array<std::vector<PricedNumber>, N_NUMBER_PLACES> numbers;  // by NumberPlace
  double most_nats = 13.0;
  std::size_t most_structures = 10'000;
  std::size_t most_open = 4'000'000;  // maximum number of partial structures in memory
};

struct PricedStructure {
  double nats;  // including the values of its numbers and the columns of its variables
  Structure structure;
};

// Includes known forms, however many choices they take. Leaves out structures that can be written with fewer
// constants, such as c * sqrt(c * x), which is c * sqrt(x).
std::vector<PricedStructure> cheapest_structures(const StructureCode& code,
                                                 const EnumerationOptions& options);

// The cheapest of two lists; a structure in both gets the lower price.
std::vector<PricedStructure> merged(std::vector<PricedStructure> first, std::vector<PricedStructure> second,
                                    std::size_t most);

}  // namespace ddsr

// Writes a structure as a formula.
#pragma once

#include <optional>
#include <vector>

#include "price/structure.hpp"

namespace ddsr {

struct Written {
  Formula formula;             // fitted constants are 1
  std::vector<bool> is_fixed;  // for each constant: whether it is a number of the structure
};

// Returns nothing if the vocabulary lacks an operator. Constants are in the order of the structure.
std::optional<Written> write(const Vocabulary& vocabulary, const Structure& structure);

}  // namespace ddsr

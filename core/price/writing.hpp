// A structure written as a formula.
#pragma once

#include <optional>
#include <vector>

#include "price/structure.hpp"

namespace ddsr {

struct Written {
  Formula formula;             // constants that are fitted are at 1
  std::vector<bool> is_fixed;  // for each constant: it is a number of the structure
};

// None where the vocabulary lacks an operator for it. Constants stand in the order of the structure's.
std::optional<Written> write(const Vocabulary& vocabulary, const Structure& structure);

}  // namespace ddsr

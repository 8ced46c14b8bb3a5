// Fits the constants of structures to a data set, from several starts each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/fit.hpp"
#include "grammar/units.hpp"
#include "price/enumeration.hpp"

namespace ddsr {

struct StructureFitOptions {
  int n_starts = 6;
  int max_steps = 40;
  double tolerance = 1e-8;
  std::uint64_t seed = 0;
  std::size_t first = 0;         // index of the first structure, which selects the random starts
  const Units* units = nullptr;  // structures that do not agree with them are not fitted
};

struct FittedStructure {
  Formula formula;                     // breadth-first; empty without a finite fit
  std::vector<std::uint8_t> is_fixed;  // for each constant
  Fit fit;
};

// Returns one fit per structure. It does not depend on the other structures or on the threads.
std::vector<FittedStructure> fit_structures(const Vocabulary& vocabulary,
                                            std::span<const PricedStructure> structures, const Dataset& data,
                                            const StructureFitOptions& options, int n_threads);

}  // namespace ddsr

// Structures with their constants fitted to a data set, from several starts each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/fit.hpp"
#include "price/enumeration.hpp"

namespace ddsr {

struct StructureFitOptions {
  int n_starts = 6;
  int max_steps = 40;
  double tolerance = 1e-8;
  std::uint64_t seed = 0;
  std::size_t first = 0;  // number of the first structure: random starts go by it
};

struct FittedStructure {
  Formula formula;                     // breadth-first; empty where there is no finite fit
  std::vector<std::uint8_t> is_fixed;  // for each constant
  Fit fit;
};

// One for each structure. What a structure gets does not depend on the others, nor on the threads.
std::vector<FittedStructure> fit_structures(const Vocabulary& vocabulary,
                                            std::span<const PricedStructure> structures, const Dataset& data,
                                            const StructureFitOptions& options, int n_threads);

}  // namespace ddsr

// The settings of the evolutionary search that users can change, documented in src/ddsr/config.py. All other
// numbers are constants beside the code that uses them.
#pragma once

#include <array>
#include <vector>

#include "expression/operators.hpp"

namespace ddsr {

struct EvolutionOptions {
  int n_islands = 4;
  int n_sketches = 0;
  int island_size = 100;
  double parsimony = 0.02;
  int restart_steps = 0;          // 0: never
  double constant_range = 1e300;  // the largest magnitude of a constant; its inverse is the smallest
  double crossover_rate = 0.2;
  std::vector<double> move_weights;                    // in the order of MOVES (moves.hpp)
  std::array<double, N_OPERATORS> operator_weights{};  // relative to other operators of the same arity
  int fit_steps = 12;
  bool is_scale_free = true;
  int dictionary_size = 8000;
  double exact = 1e-12;
  std::vector<double> token_costs;  // nats for each use of a token; empty: none
};

}  // namespace ddsr

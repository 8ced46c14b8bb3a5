// The settings of the evolutionary search; src/ddsr/config.py says what each is for.
#pragma once

#include <array>
#include <vector>

#include "expression/operators.hpp"

namespace ddsr {

struct EvolutionOptions {
  int n_islands = 4;
  int n_sketches = 0;
  int island_size = 200;
  int tournament_size = 8;
  double parsimony = 0.02;
  double crowding = 0.0;
  int restart_steps = 0;          // 0: never
  double constant_range = 1e300;  // the largest constant, and the inverse of the smallest
  double crossover_rate = 0.35;
  double library_rate = 0.25;
  std::vector<double> move_weights;                    // in the order of MOVES (moves.hpp)
  std::array<double, N_OPERATORS> operator_weights{};  // each among those of its arity
  double unary_rate = 0.3;
  double constant_rate = 0.25;
  int n_attempts = 4;
  int most_tries = 2;
  int memory_size = 1 << 20;
  int sync_interval = 200;
  int migration_interval = 2000;
  int n_migrants = 3;
  int fit_steps = 6;
  int polish_steps = 30;
  bool is_scale_free = true;
  double tolerance = 1e-6;
  int n_seeds = 40;
  int library_size = 512;
  int dictionary_size = 8000;
  int list_size = 0;  // 0: no shortlist
  int list_rows = 1500;
  double list_slack = 0.03;  // in log(NRMSE)
  double list_share = 0.04;  // of evaluations
  double exact = 1e-12;
};

}  // namespace ddsr

// Evolutionary search over whole expressions: islands that evolve in parallel and sometimes exchange
// individuals.
//
// Each island runs independently for a slice of steps. Between slices, their halls of fame and the structures
// that they tried are merged, on one thread and in the order of the islands. So with a budget of evaluations
// the result depends only on the seed.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "evolution/island.hpp"

namespace ddsr {

struct Budget {
  std::uint64_t max_evaluations = std::numeric_limits<std::uint64_t>::max();
  Deadline deadline;
};

enum class Ending : std::uint8_t {
  OutOfBudget,
  Exact,      // the hall of fame holds an exact fit
  Exhausted,  // for a whole slice, no island made a child with a new structure
};

class Refiner {
 public:
  // `grammar`, the data sets and `structures` must outlive the refiner.
  Refiner(const Grammar& grammar, const Dataset& source, const std::vector<std::size_t>& rows,
          const Dataset& scoring, const TablePrice& structures, const EvolutionOptions& options,
          std::uint64_t seed);
  Refiner(const Refiner&) = delete;  // the islands refer to the problem

  // Fits formulas that obey the grammar. The best few enter the populations, the others the library.
  void seed(const std::vector<Formula>& formulas, int n_threads);

  // `between_slices` may throw to stop the run; everything found so far is kept.
  Ending run(const Budget& budget, int n_threads, const std::function<void()>& between_slices);

  const HallOfFame& hall_of_fame() const { return hall_; }
  const Shortlist& shortlist() const { return shortlist_; }
  // The best n individuals of different structures, from all islands and the hall of fame, best first.
  std::vector<Individual> elites(int n) const;
  std::vector<Individual> population() const;
  Counters counters() const;
  const Problem& problem() const { return problem_; }

  // Everything that the continuation depends on except grammar, data, options and seed. `load` throws
  // std::invalid_argument for bytes that `save` did not write for such a refiner.
  std::string save() const;
  void load(const std::string& bytes);

 private:
  double fitness(const Individual& individual) const;
  std::uint64_t run_slice(const Budget& budget, std::uint64_t n_left, int n_threads);
  void join();
  void migrate();

  const Problem problem_;
  std::vector<std::unique_ptr<Island>> islands_;
  Surroundings surroundings_;
  HallOfFame hall_;
  Shortlist shortlist_;
  std::uint64_t n_slices_ = 0, n_migrations_ = 0;
};

}  // namespace ddsr

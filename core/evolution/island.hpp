// One population and its steady-state evolution: each step makes one child, which replaces the oldest.
#pragma once

#include <array>

#include "evolution/assessor.hpp"
#include "evolution/sketches.hpp"
#include "evolution/structure_memory.hpp"
#include "evolution/unit_repair.hpp"
#include "expression/operands.hpp"

namespace ddsr {

struct MoveCount {
  std::uint64_t n_tried = 0, n_improved = 0;  // improved: the child entered the hall of fame
};

inline constexpr std::size_t CROSSOVER = MOVES.size();    // comes after the mutations
inline constexpr std::size_t NO_MOVE = MOVES.size() + 1;  // for a child without a parent

struct Counters {
  std::uint64_t n_steps = 0;
  std::uint64_t n_evaluations = 0;   // children whose constants were fitted
  std::uint64_t n_duplicates = 0;    // children whose structure was tried often enough
  std::uint64_t n_failed_moves = 0;  // none of several attempts obeyed the grammar
  std::uint64_t n_refused = 0;       // not finite, or a constant out of range
  std::array<MoveCount, MOVES.size() + 1> moves{};
};

// The whole state of an island; everything else in it is working memory.
struct IslandState {
  std::vector<Individual> population;  // a ring once it is full
  std::size_t oldest = 0;
  // A life begins with random trees and ends when nothing fitter was found for `restart_steps` steps.
  std::uint64_t n_lives = 0, born_at = 0, improved_at = 0;
  double best_fitness = 1e300;
  HallOfFame hall;
  Shortlist shortlist;
  std::uint64_t next_sketch = 0;
  double credit = 0.0;  // number of fits on many rows that it may still make
  Counters counters;
};

// Maximum number of seeds from which crossover takes subtrees.
inline constexpr std::size_t LIBRARY_SIZE = 512;

// What an island knows of the others while it runs; updated between runs.
struct Surroundings {
  StructureMemory memory;
  std::vector<Formula> library;  // seeds from which to take subtrees
  std::size_t next_in_library = 0;
};

class Island {
 public:
  Island(const Problem& problem, int index);

  // Runs until one of the limits is reached or an exact fit is found.
  void run(const Surroundings& surroundings, std::uint64_t last_step, std::uint64_t max_evaluations,
           const Deadline& deadline);

  // Fits a formula that obeys the grammar and offers it to the hall of fame. Nothing if it is not finite.
  std::optional<Individual> assess_seed(const Formula& formula);

  void take_in(Individual individual);
  const Individual& tournament(RandomSource& random) const;

  // The structures tried since the last call.
  std::vector<std::uint64_t> take_tried() { return std::exchange(tried_, {}); }
  // Whether the island is old enough that migrants will not take over its population.
  bool takes_migrants() const;

  IslandState state;

 private:
  void start_anew();
  std::uint64_t life_salt() const;
  void step(const Surroundings& surroundings, const Deadline& deadline);
  bool is_sketching() const;
  void sketch(const Surroundings& surroundings, const Deadline& deadline);
  std::optional<Individual> assessed(const Child& child, const Surroundings& surroundings, std::size_t move,
                                     const Deadline& deadline);
  std::optional<Child> first_generation(RandomSource& random) const;
  Formula random_filling(int size, RandomSource& random) const;
  Formula mutated(const Formula& parent, std::size_t move, RandomSource& random);
  Formula crossed(const Formula& parent, const Formula& donor, RandomSource& random) const;
  std::size_t draw_material(const std::vector<Range>& operands, RandomSource& random) const;
  std::optional<Child> breed(const Surroundings& surroundings, RandomSource& random, std::size_t& move);
  std::optional<Child> made_legal(Formula&& formula, RandomSource* random = nullptr) const;
  std::optional<Formula> with_units(const Formula& formula, RandomSource& random) const;
  std::optional<Child> legal(Formula&& formula) const;
  int n_tries(const Surroundings& surroundings, std::uint64_t structure) const;
  double fitness(const Individual& individual) const {
    return individual.log_loss + problem_.options.parsimony * individual.size();
  }

  const Problem& problem_;
  const std::uint32_t index_;
  Assessor assessor_;
  std::vector<SubtreeMatcher> matchers_;  // one for each of the problem's materials
  std::vector<UnitRepair> unit_repairs_;  // the same; empty without units
  Sketches sketches_;
  std::vector<std::uint64_t> tried_;
};

}  // namespace ddsr

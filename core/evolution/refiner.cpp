#include "evolution/refiner.hpp"

#include <algorithm>
#include <unordered_set>

#include "parallel.hpp"

namespace ddsr {

namespace {

// Number of structures remembered as tried.
constexpr int MEMORY_SIZE = 1 << 20;
// Number of steps of an island between two exchanges of results with the other islands, and between two
// migrations.
constexpr std::uint64_t SLICE_STEPS = 200, MIGRATION_STEPS = 2000;
// Number of individuals that enter each island from the hall of fame, and again from another island.
constexpr int N_MIGRANTS = 3;
// Maximum number of seeds that enter the populations. The others enter the library.
constexpr std::size_t MOST_SEEDS = 40;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void add_to(Counters& sum, const Counters& counters) {
  sum.n_steps += counters.n_steps;
  sum.n_evaluations += counters.n_evaluations;
  sum.n_duplicates += counters.n_duplicates;
  sum.n_failed_moves += counters.n_failed_moves;
  sum.n_refused += counters.n_refused;
  for (std::size_t i = 0; i < sum.moves.size(); ++i) {
    sum.moves[i].n_tried += counters.moves[i].n_tried;
    sum.moves[i].n_improved += counters.moves[i].n_improved;
  }
}

void put_into_library(Surroundings& surroundings, const Formula& formula) {
  if (surroundings.library.size() < LIBRARY_SIZE) {
    surroundings.library.push_back(formula);
    return;
  }
  surroundings.library[surroundings.next_in_library] = formula;
  surroundings.next_in_library = (surroundings.next_in_library + 1) % LIBRARY_SIZE;
}

}  // namespace

Refiner::Refiner(const Grammar& grammar, const Dataset& source, const std::vector<std::size_t>& rows,
                 const Dataset& scoring, const TablePrice& structures, const EvolutionOptions& options,
                 std::uint64_t seed)
    : problem_(grammar, source, rows, scoring, structures, options, seed),
      surroundings_{StructureMemory(MEMORY_SIZE), {}, 0} {
  for (int i = 0; i < options.n_islands; ++i) islands_.push_back(std::make_unique<Island>(problem_, i));
}

double Refiner::fitness(const Individual& individual) const {
  return individual.log_loss + problem_.options.parsimony * individual.size();
}

void Refiner::seed(const std::vector<Formula>& formulas, int n_threads) {
  const std::size_t n_islands = islands_.size();
  std::vector<std::optional<Individual>> fitted(formulas.size());
  parallel_with(n_islands, n_threads, 1, [&] {
    return [&](std::size_t i) {
      for (std::size_t k = i; k < formulas.size(); k += n_islands)
        fitted[k] = islands_[i]->assess_seed(formulas[k]);
    };
  });
  join();
  std::vector<std::size_t> order(formulas.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (!fitted[a] || !fitted[b]) return fitted[a].has_value();
    return fitness(*fitted[a]) < fitness(*fitted[b]);
  });
  std::unordered_set<std::uint64_t> kept;
  for (const std::size_t k : order) {
    const bool is_kept = fitted[k] && kept.size() < MOST_SEEDS && kept.insert(fitted[k]->structure).second;
    if (is_kept)
      islands_[kept.size() % n_islands]->take_in(std::move(*fitted[k]));
    else
      put_into_library(surroundings_, formulas[k]);
  }
}

Ending Refiner::run(const Budget& budget, int n_threads, const std::function<void()>& between_slices) {
  std::uint64_t n_left = budget.max_evaluations;
  for (;;) {
    if (hall_.has_exact(problem_.options.exact, problem_.scoring.n_observed())) return Ending::Exact;
    if (n_left == 0 || has_passed(budget.deadline)) return Ending::OutOfBudget;
    const std::uint64_t slice = n_slices_;
    const std::uint64_t n_spent = run_slice(budget, n_left, n_threads);
    if (n_spent == 0 && n_slices_ > slice) return Ending::Exhausted;
    n_left -= n_spent;
    between_slices();
  }
}

// Runs the islands to the end of the slice, or until the budget is spent, and returns the number of
// evaluations. If an earlier run ended within this slice, islands that have finished it wait for the others.
std::uint64_t Refiner::run_slice(const Budget& budget, std::uint64_t n_left, int n_threads) {
  const std::uint64_t before = counters().n_evaluations;
  const std::uint64_t last_step = (n_slices_ + 1) * SLICE_STEPS;
  auto is_through = [&](const auto& island) { return island->state.counters.n_steps >= last_step; };
  std::vector<Island*> active;
  for (const auto& island : islands_)
    if (!is_through(island)) active.push_back(island.get());
  parallel_with(active.size(), n_threads, 1, [&] {
    return [&](std::size_t i) {
      const std::uint64_t share = n_left / active.size() + (i < n_left % active.size());
      active[i]->run(surroundings_, last_step, share, budget.deadline);
    };
  });
  const bool is_complete = std::all_of(islands_.begin(), islands_.end(), is_through);
  join();
  if (is_complete) {
    ++n_slices_;
    if (last_step / MIGRATION_STEPS > n_migrations_) {
      n_migrations_ = last_step / MIGRATION_STEPS;
      migrate();
    }
  }
  return counters().n_evaluations - before;
}

void Refiner::join() {
  for (const auto& island : islands_) {
    for (const std::uint64_t structure : island->take_tried()) surroundings_.memory.add(structure);
    for (const Famous& famous : island->state.hall.entries()) hall_.enter(famous);
    for (const Listed& listed : island->state.shortlist.entries()) shortlist_.enter(listed);
  }
  for (const auto& island : islands_) island->state.hall = hall_, island->state.shortlist = shortlist_;
}

// Copies a few individuals of the hall of fame and of another island into each island.
void Refiner::migrate() {
  const int n_islands = static_cast<int>(islands_.size());
  for (int i = 0; i < n_islands; ++i) {
    // These streams follow those of the islands.
    RandomSource random(problem_.seed, n_migrations_, static_cast<std::uint32_t>(n_islands + i));
    Island& island = *islands_[at(i)];
    const std::vector<Famous>& famous = hall_.entries();
    const Island& other = *islands_[at((i + random.between(1, std::max(n_islands - 1, 1))) % n_islands)];
    if (!island.takes_migrants()) continue;
    for (int k = 0; k < N_MIGRANTS; ++k) {
      if (!famous.empty())
        island.take_in(famous[at(random.below(static_cast<int>(famous.size())))].individual);
      if (&other != &island && !other.state.population.empty()) island.take_in(other.tournament(random));
    }
  }
}

std::vector<Individual> Refiner::population() const {
  std::vector<Individual> all;
  for (const auto& island : islands_)
    all.insert(all.end(), island->state.population.begin(), island->state.population.end());
  return all;
}

std::vector<Individual> Refiner::elites(int n) const {
  std::vector<Individual> all = population();
  for (const Famous& famous : hall_.entries()) all.push_back(famous.individual);
  std::stable_sort(all.begin(), all.end(),
                   [&](const Individual& a, const Individual& b) { return fitness(a) < fitness(b); });
  std::unordered_set<std::uint64_t> seen;
  std::vector<Individual> best;
  for (Individual& individual : all) {
    if (best.size() == at(n)) break;
    if (seen.insert(individual.structure).second) best.push_back(std::move(individual));
  }
  return best;
}

Counters Refiner::counters() const {
  Counters sum;
  for (const auto& island : islands_) add_to(sum, island->state.counters);
  return sum;
}

}  // namespace ddsr

#include "evolution/island.hpp"

#include <algorithm>
#include <utility>

#include "evolution/folding.hpp"
#include "grammar/violation.hpp"

namespace ddsr {

namespace {

constexpr int LEAST_FIRST_SIZE = 3, MOST_FIRST_SIZE = 9;
// The parent is the fittest of this many individuals.
constexpr int TOURNAMENT_SIZE = 8;
// Rate at which the second parent of a crossover comes from the library, if that has any formulas.
constexpr double LIBRARY_RATE = 0.25;
// Number of attempts of a move to make a child that obeys the grammar.
constexpr int N_ATTEMPTS = 4;
// Number of fits per structure; the second one starts from other constants.
constexpr int MOST_TRIES = 2;
// In log(NRMSE); a smaller gain is not progress.
constexpr double LEAST_IMPROVEMENT = 1e-3;
// Share of the children that may be fitted on many rows for the shortlist, which bounds the cost, and the
// number of such fits that an island can save up.
constexpr double LIST_SHARE = 0.04, MOST_CREDIT = 20.0;

}  // namespace

Island::Island(const Problem& problem, int index)
    : problem_(problem),
      index_(static_cast<std::uint32_t>(index)),
      assessor_(problem),
      sketches_(problem.vocabulary(), problem.materials[0].drawing, problem.materials[0].dictionary,
                problem.options.is_scale_free, problem.units()) {
  for (const Problem::Material& material : problem.materials) {
    matchers_.emplace_back(problem.vocabulary(), material.drawing, material.dictionary,
                           problem.options.is_scale_free, problem.units());
    if (material.units)
      unit_repairs_.emplace_back(problem.vocabulary(), *material.units, material.drawing,
                                 material.dictionary);
  }
}

void Island::run(const Surroundings& surroundings, std::uint64_t last_step, std::uint64_t max_evaluations,
                 const Deadline& deadline) {
  const Counters& counters = state.counters;
  const std::uint64_t last_evaluation = counters.n_evaluations + max_evaluations;
  while (counters.n_steps < last_step && counters.n_evaluations < last_evaluation && !has_passed(deadline)) {
    step(surroundings, deadline);
    if (state.hall.has_exact(problem_.options.exact, problem_.scoring.n_observed())) return;
  }
}

void Island::step(const Surroundings& surroundings, const Deadline& deadline) {
  if (is_sketching()) return sketch(surroundings, deadline);
  Counters& counters = state.counters;
  RandomSource random(problem_.seed, counters.n_steps, index_);
  const auto size = static_cast<std::uint64_t>(problem_.options.island_size);
  if (problem_.options.restart_steps > 0 &&
      counters.n_steps - state.improved_at > static_cast<std::uint64_t>(problem_.options.restart_steps))
    start_anew();
  const bool is_first_generation = counters.n_steps - state.born_at < size || state.population.empty();
  std::size_t move = NO_MOVE;
  const std::optional<Child> child =
      is_first_generation ? first_generation(random) : breed(surroundings, random, move);
  ++counters.n_steps;
  if (!child) {
    ++counters.n_failed_moves;
    return;
  }
  if (std::optional<Individual> individual = assessed(*child, surroundings, move, deadline))
    take_in(std::move(*individual));
}

// Only the last of several islands sketches, so that the others evolve meanwhile.
bool Island::is_sketching() const {
  const EvolutionOptions& options = problem_.options;
  return !problem_.has_template() && index_ > 0 && static_cast<int>(index_) == options.n_islands - 1 &&
         state.counters.n_steps < static_cast<std::uint64_t>(options.n_sketches) &&
         sketches_.has_next(state.next_sketch);
}

// The island's evolution starts after the last sketch. Sketches do not enter its population; good ones enter
// the hall of fame and migrate from there.
void Island::sketch(const Surroundings& surroundings, const Deadline& deadline) {
  std::optional<Formula> formula = sketches_.next(state.next_sketch);
  if (!formula) return;
  ++state.counters.n_steps;
  state.born_at = state.improved_at = state.counters.n_steps;
  if (const std::optional<Child> child = made_legal(std::move(*formula)))
    assessed(*child, surroundings, NO_MOVE, deadline);
  else
    ++state.counters.n_failed_moves;
}

// Fits the child and offers it to both lists, unless its structure was tried often enough.
std::optional<Individual> Island::assessed(const Child& child, const Surroundings& surroundings,
                                           std::size_t move, const Deadline& deadline) {
  Counters& counters = state.counters;
  const std::uint64_t structure = structure_hash(problem_.vocabulary(), child.breadth_first);
  const std::uint64_t tried = structure ^ life_salt();
  if (n_tries(surroundings, tried) >= MOST_TRIES) {
    ++counters.n_duplicates;
    return {};
  }
  tried_.push_back(tried);
  ++counters.n_evaluations;
  std::optional<Individual> individual = assessor_.assess(child);
  if (!individual) {
    ++counters.n_refused;
    return {};
  }
  individual->structure = structure;
  const bool is_famous = assessor_.offer(*individual, state.hall, deadline);
  if (is_famous && move < counters.moves.size()) ++counters.moves[move].n_improved;
  state.credit = std::min(state.credit + LIST_SHARE, MOST_CREDIT);
  assessor_.list(*individual, state.shortlist, state.credit);
  return individual;
}

void Island::start_anew() {
  ++state.n_lives;
  state.born_at = state.improved_at = state.counters.n_steps;
  state.best_fitness = 1e300;
  state.population.clear();
  state.oldest = 0;
}

bool Island::takes_migrants() const {
  return state.n_lives == 0 ||
         state.counters.n_steps - state.born_at > static_cast<std::uint64_t>(problem_.options.restart_steps);
}

// A restarted island forgets what it tried, because its first trees repeat structures of its earlier life.
std::uint64_t Island::life_salt() const {
  return state.n_lives == 0 ? 0 : (state.n_lives * 1024 + index_) * 0x9e3779b97f4a7c15u;
}

void Island::take_in(Individual individual) {
  individual.birth = state.counters.n_steps;
  if (fitness(individual) < state.best_fitness - LEAST_IMPROVEMENT)
    state.best_fitness = fitness(individual), state.improved_at = state.counters.n_steps;
  if (state.population.size() < static_cast<std::size_t>(problem_.options.island_size)) {
    state.population.push_back(std::move(individual));
    return;
  }
  state.population[state.oldest] = std::move(individual);
  state.oldest = (state.oldest + 1) % state.population.size();
}

const Individual& Island::tournament(RandomSource& random) const {
  const int n = static_cast<int>(state.population.size());
  const Individual* best = nullptr;
  double best_fitness = 0.0;
  for (int k = 0; k < TOURNAMENT_SIZE; ++k) {
    const Individual& other = state.population[static_cast<std::size_t>(random.below(n))];
    const double fitness = this->fitness(other);
    if (best == nullptr || fitness < best_fitness) best = &other, best_fitness = fitness;
  }
  return *best;
}

// First each variable alone, then random trees of alternating size.
std::optional<Child> Island::first_generation(RandomSource& random) const {
  const auto step = static_cast<int>(state.counters.n_steps - state.born_at);
  if (step < problem_.vocabulary().n_variables() && !problem_.has_template()) {
    const auto variable = static_cast<TokenId>(problem_.vocabulary().first_variable() + step);
    if (std::optional<Child> child = made_legal({{variable}, {}}, &random)) return child;
  }
  const int size = LEAST_FIRST_SIZE + step % (MOST_FIRST_SIZE - LEAST_FIRST_SIZE + 1);
  for (int attempt = 0; attempt < N_ATTEMPTS; ++attempt) {
    if (std::optional<Child> child = made_legal(random_filling(size, random), &random)) return child;
  }
  return made_legal(draw_legal(problem_.grammar, random), &random);
}

// A random tree or, with a template, one for each hole. There the first ones are small: a hole often needs
// little.
Formula Island::random_filling(int size, RandomSource& random) const {
  Formula formula;
  if (!problem_.has_template()) {
    problem_.materials[0].drawing.append_tree(formula, size, random);
    return formula;
  }
  const Template& pattern = *problem_.vocabulary().pattern();
  formula.tokens.push_back(problem_.vocabulary().find(Op::Template));
  auto material = problem_.materials.begin();
  for (const Template::Hole& hole : pattern.holes)
    if (hole.is_constant)
      material->drawing.append_constant(formula, random);
    else
      (material++)->drawing.append_tree(formula, random.between(1, size), random);
  return formula;
}

// The material of the hole whose operand changes: one token counts as much as any other.
std::size_t Island::draw_material(const std::vector<Range>& operands, RandomSource& random) const {
  WeightedChoice choice;
  for (std::size_t i = 0; i < problem_.materials.size(); ++i)
    choice.add(static_cast<int>(i), operands[problem_.materials[i].hole].size());
  return static_cast<std::size_t>(choice.draw(random));
}

Formula Island::mutated(const Formula& parent, std::size_t move, RandomSource& random) {
  const Vocabulary& vocabulary = problem_.vocabulary();
  const bool has_template = problem_.has_template();
  const std::vector<Range> operands = has_template ? operands_of(vocabulary, parent) : std::vector<Range>{};
  const std::size_t index = has_template ? draw_material(operands, random) : 0;
  const Problem::Material& material = problem_.materials[index];
  SubtreeMatcher& matcher = matchers_[index];
  const MoveContext context{vocabulary, material.drawing, &matcher};
  if (!has_template || MOVES[move].make == &perturb_constants)
    return MOVES[move].make(parent, random, context);
  const Range operand = operands[material.hole];
  if (MOVES[move].make == &match) return matcher.match(parent, operand.begin, operand.end, random);
  const Formula part = part_of(vocabulary, parent, operand);
  return with_part(vocabulary, parent, operand, MOVES[move].make(part, random, context));
}

Formula Island::crossed(const Formula& parent, const Formula& donor, RandomSource& random) const {
  const Vocabulary& vocabulary = problem_.vocabulary();
  if (!problem_.has_template())
    return cross_over(parent, donor, random, {vocabulary, problem_.materials[0].drawing, nullptr});
  const std::vector<Range> operands = operands_of(vocabulary, parent);
  const Problem::Material& material = problem_.materials[draw_material(operands, random)];
  const Range operand = operands[material.hole];
  const Formula part = part_of(vocabulary, parent, operand);
  const Formula other = part_of(vocabulary, donor, operands_of(vocabulary, donor)[material.hole]);
  const MoveContext context{vocabulary, material.drawing, nullptr};
  return with_part(vocabulary, parent, operand, cross_over(part, other, random, context));
}

std::optional<Child> Island::breed(const Surroundings& surroundings, RandomSource& random,
                                   std::size_t& move) {
  const Individual& parent = tournament(random);
  const bool crosses = problem_.mutations.empty() || random.chance(problem_.options.crossover_rate);
  move = crosses ? CROSSOVER : static_cast<std::size_t>(problem_.mutations.draw(random));
  ++state.counters.moves[move].n_tried;
  for (int attempt = 0; attempt < N_ATTEMPTS; ++attempt) {
    Formula formula;
    if (crosses) {
      const std::vector<Formula>& library = surroundings.library;
      const bool asks_library = !library.empty() && random.chance(LIBRARY_RATE);
      const Formula& donor =
          asks_library ? library[static_cast<std::size_t>(random.below(static_cast<int>(library.size())))]
                       : tournament(random).formula;
      formula = crossed(parent.formula, donor, random);
    } else {
      formula = mutated(parent.formula, move, random);
    }
    if (formula == parent.formula) continue;
    if (std::optional<Child> child = made_legal(std::move(formula), &random)) return child;
  }
  return {};
}

// Most illegal children have operators on constants only, which folding repairs, or units that do not agree.
// Without random numbers, units are not repaired.
std::optional<Child> Island::made_legal(Formula&& formula, RandomSource* random) const {
  if (std::optional<Child> child = legal(Formula(formula))) return child;
  Formula folded = fold_constants(problem_.vocabulary(), formula);
  if (unit_repairs_.empty() || random == nullptr) return legal(std::move(folded));
  std::optional<Formula> repaired = with_units(folded, *random);
  return repaired ? legal(std::move(*repaired)) : std::nullopt;
}

// In a template, each function gets the unit that the template demands, given those before it.
std::optional<Formula> Island::with_units(const Formula& formula, RandomSource& random) const {
  const Units& units = *problem_.units();
  if (!problem_.has_template()) {
    auto whole = unit_repairs_[0].repaired(formula, units.of_target, random);
    return whole ? std::optional(std::move(whole->formula)) : std::nullopt;
  }
  const Vocabulary& vocabulary = problem_.vocabulary();
  Formula filled = formula;
  std::vector<std::optional<Unit>> of_holes(vocabulary.pattern()->holes.size());
  for (std::size_t i = 0; i < problem_.materials.size(); ++i) {
    const std::size_t hole = problem_.materials[i].hole;
    const Range operand = operands_of(vocabulary, filled)[hole];
    const auto wanted = demanded_unit(units.of_template, static_cast<int>(hole), of_holes);
    const auto part = unit_repairs_[i].repaired(part_of(vocabulary, filled, operand), wanted, random);
    if (!part) return {};
    of_holes[hole] = part->unit;
    filled = with_part(vocabulary, filled, operand, part->formula);
  }
  return filled;
}

std::optional<Child> Island::legal(Formula&& formula) const {
  if (formula.tokens.size() > static_cast<std::size_t>(problem_.grammar.rules.max_length)) return {};
  Child child{std::move(formula), {}};
  limit_constants(problem_.vocabulary(), problem_.grammar.rules.form.constants, child.formula);
  child.breadth_first = breadth_first_of(problem_.vocabulary(), child.formula);
  if (find_violation(problem_.grammar, child.breadth_first.tokens, child.breadth_first.constants)) return {};
  return child;
}

int Island::n_tries(const Surroundings& surroundings, std::uint64_t structure) const {
  return surroundings.memory.count(structure) +
         static_cast<int>(std::count(tried_.begin(), tried_.end(), structure));
}

std::optional<Individual> Island::assess_seed(const Formula& formula) {
  const Child child{formula, breadth_first_of(problem_.vocabulary(), formula)};
  ++state.counters.n_evaluations;
  std::optional<Individual> individual = assessor_.assess(child);
  const std::uint64_t structure = structure_hash(problem_.vocabulary(), child.breadth_first);
  tried_.push_back(structure);
  if (!individual) {
    ++state.counters.n_refused;
    return individual;
  }
  individual->structure = structure;
  assessor_.offer(*individual, state.hall, {});
  assessor_.list_seed(*individual, state.shortlist);
  return individual;
}

}  // namespace ddsr

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/data.hpp"
#include "evolution/folding.hpp"
#include "evolution/inversion.hpp"
#include "evolution/refiner.hpp"
#include "grammar/violation.hpp"

namespace ddsr {

namespace {

std::vector<double> operator_weights(const EvolutionOptions& options) {
  return {options.operator_weights.begin(), options.operator_weights.end()};
}

void set_operator_weights(EvolutionOptions& options, const std::vector<double>& weights) {
  if (weights.size() != options.operator_weights.size())
    throw std::invalid_argument("operator_weights must have a weight for each row of operators()");
  std::copy(weights.begin(), weights.end(), options.operator_weights.begin());
}

void require_usable(const EvolutionOptions& options) {
  if (options.move_weights.size() != MOVES.size())
    throw std::invalid_argument("move_weights must have a weight for each of MOVES");
  if (std::min(options.n_islands, options.island_size) < 1 || options.dictionary_size < 0)
    throw std::invalid_argument("a number of the options is too small");
}

std::vector<Formula> to_formulas(const Vocabulary& vocabulary, const Batch& batch) {
  std::vector<Formula> formulas;
  for (std::size_t i = 0; i < batch.expressions.rows.size(); ++i)
    formulas.push_back(formula_from_breadth_first(vocabulary, batch.expressions.rows[i], batch.constants[i]));
  return formulas;
}

// Returns (tokens, constants) of a batch: breadth-first rows, padded.
nb::tuple to_rows(const Vocabulary& vocabulary, const std::vector<Formula>& formulas) {
  std::size_t length = 0, width = 0;
  for (const Formula& formula : formulas) {
    length = std::max(length, formula.tokens.size());
    width = std::max(width, formula.constants.size());
  }
  const std::size_t n = formulas.size();
  std::vector<TokenId> tokens(n * length, PAD);
  std::vector<double> constants(n * width, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Formula row = breadth_first_of(vocabulary, formulas[i]);
    std::copy(row.tokens.begin(), row.tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i * length));
    std::copy(row.constants.begin(), row.constants.end(),
              constants.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  return nb::make_tuple(to_numpy(std::move(tokens), {n, length}), to_numpy(std::move(constants), {n, width}));
}

nb::tuple individuals_to_rows(const Refiner& refiner, const std::vector<Individual>& individuals) {
  std::vector<Formula> formulas;
  std::vector<double> log_loss;
  for (const Individual& individual : individuals) {
    formulas.push_back(individual.formula);
    log_loss.push_back(individual.log_loss);
  }
  const nb::tuple rows = to_rows(refiner.problem().vocabulary(), formulas);
  return nb::make_tuple(rows[0], rows[1], to_numpy(std::move(log_loss), {individuals.size()}));
}

// The entries of the hall of fame or the shortlist.
template <typename Entry>
nb::dict models(const Refiner& refiner, const std::vector<Entry>& entries) {
  std::vector<Formula> formulas;
  std::vector<double> scale, offset, nrmse;
  for (const Entry& entry : entries) {
    formulas.push_back(entry.individual.formula);
    scale.push_back(entry.individual.scale);
    offset.push_back(entry.individual.offset);
    nrmse.push_back(entry.nrmse);
  }
  const nb::tuple rows = to_rows(refiner.problem().vocabulary(), formulas);
  const std::size_t n = formulas.size();
  nb::dict result;
  result["tokens"] = rows[0];
  result["constants"] = rows[1];
  result["scale"] = to_numpy(std::move(scale), {n});
  result["offset"] = to_numpy(std::move(offset), {n});
  result["nrmse"] = to_numpy(std::move(nrmse), {n});
  return result;
}

nb::dict counters(const Refiner& refiner) {
  const Counters counters = refiner.counters();
  nb::dict result, moves;
  result["n_steps"] = counters.n_steps;
  result["n_evaluations"] = counters.n_evaluations;
  result["n_duplicates"] = counters.n_duplicates;
  result["n_failed_moves"] = counters.n_failed_moves;
  result["n_refused"] = counters.n_refused;
  for (std::size_t i = 0; i < counters.moves.size(); ++i) {
    const std::string_view name = i == CROSSOVER ? "crossover" : MOVES[i].name;
    moves[nb::str(name.data(), name.size())] =
        nb::make_tuple(counters.moves[i].n_tried, counters.moves[i].n_improved);
  }
  result["moves"] = moves;
  return result;
}

void construct(Refiner* self, const Grammar& grammar, const Data& data, const Input<std::int64_t, 1>& rows,
               const TablePrice& structures, const EvolutionOptions& options, std::uint64_t seed) {
  require_usable(options);
  if (static_cast<std::size_t>(grammar.vocabulary.n_variables()) != data.scoring.n_columns())
    throw std::invalid_argument("the grammar's variables are not the columns of the data");
  if (!options.token_costs.empty() &&
      options.token_costs.size() != static_cast<std::size_t>(grammar.vocabulary.size()))
    throw std::invalid_argument("token_costs must have a cost for each token");
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    if (rows.data()[i] < 0 || rows.data()[i] >= static_cast<std::int64_t>(data.fitting(false).n_rows()))
      throw std::invalid_argument("a fitting row does not exist");
    chosen.push_back(static_cast<std::size_t>(rows.data()[i]));
  }
  new (self) Refiner(grammar, data.fitting(false), chosen, data.scoring, structures, options, seed);
}

void seed_refiner(Refiner& refiner, const TokenRows& tokens, const Input<double, 2>& constants,
                  int n_threads) {
  const Vocabulary& vocabulary = refiner.problem().vocabulary();
  const Batch batch = take_batch(vocabulary, tokens, constants);
  for (std::size_t i = 0; i < batch.expressions.rows.size(); ++i)
    if (const Flaw flaw =
            find_violation(refiner.problem().grammar, batch.expressions.rows[i], batch.constants[i]))
      throw std::invalid_argument("expression " + std::to_string(i) + ", position " +
                                  std::to_string(flaw.position) + ": " + flaw.reason);
  const std::vector<Formula> formulas = to_formulas(vocabulary, batch);
  nb::gil_scoped_release released;
  refiner.seed(formulas, n_threads);
}

int run_refiner(Refiner& refiner, std::optional<std::uint64_t> evaluations, std::optional<double> seconds,
                int n_threads) {
  Budget budget;
  if (evaluations) budget.max_evaluations = *evaluations;
  if (seconds)
    budget.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
  nb::gil_scoped_release released;
  return static_cast<int>(refiner.run(budget, n_threads, [] {
    nb::gil_scoped_acquire held;  // so that an interrupt or an alarm ends the run
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }));
}

// Checks and returns one formula from Python.
Formula one_formula(const Vocabulary& vocabulary, const TokenRows& tokens,
                    const Input<double, 2>& constants) {
  const Batch batch = take_batch(vocabulary, tokens, constants);
  if (batch.expressions.rows.size() != 1) throw std::invalid_argument("one expression is needed");
  return to_formulas(vocabulary, batch)[0];
}

nb::tuple make_move(const std::string& name, const Vocabulary& vocabulary, const TokenRows& tokens,
                    const Input<double, 2>& constants, const TokenRows& donor_tokens,
                    const Input<double, 2>& donor_constants, const EvolutionOptions& options,
                    std::uint64_t seed) {
  require_usable(options);
  const Formula parent = one_formula(vocabulary, tokens, constants);
  const Drawing drawing(vocabulary, options, vocabulary.inputs_of(0));
  const MoveContext context{vocabulary, drawing, nullptr};
  RandomSource random(seed, 0, 0);
  const auto move =
      std::find_if(MOVES.begin(), MOVES.end(), [&](const Move& each) { return each.name == name; });
  if (move == MOVES.end() && name != "crossover") throw std::invalid_argument("there is no move " + name);
  const Formula child =
      move != MOVES.end()
          ? move->make(parent, random, context)
          : cross_over(parent, one_formula(vocabulary, donor_tokens, donor_constants), random, context);
  return to_rows(vocabulary, {child});
}

nb::tuple dictionary_rows(const Vocabulary& vocabulary, const Data& data, const EvolutionOptions& options,
                          std::uint64_t seed, const Units* units) {
  const Dictionary dictionary(vocabulary, options, data.fitting(false), vocabulary.inputs_of(0),
                              static_cast<std::size_t>(options.dictionary_size), seed, units);
  std::vector<Formula> formulas;
  for (std::size_t i = 0; i < dictionary.size(); ++i) formulas.push_back(dictionary.formula(vocabulary, i));
  return to_rows(vocabulary, formulas);
}

// The entries with which sketches begin, in that order.
nb::tuple simplest_rows(const Vocabulary& vocabulary, const Data& data, const EvolutionOptions& options,
                        std::size_t n_entries, std::uint64_t seed) {
  const Dictionary dictionary(vocabulary, options, data.fitting(false), vocabulary.inputs_of(0),
                              static_cast<std::size_t>(options.dictionary_size), seed);
  std::vector<Formula> formulas;
  for (const std::size_t entry : dictionary.simplest()) {
    if (formulas.size() == n_entries) break;
    formulas.push_back(dictionary.formula(vocabulary, entry));
  }
  return to_rows(vocabulary, formulas);
}

nb::tuple first_sketches(const Vocabulary& vocabulary, const Data& data, const EvolutionOptions& options,
                         std::size_t n_sketches) {
  require_usable(options);
  const Drawing drawing(vocabulary, options, vocabulary.inputs_of(0));
  const Dictionary dictionary(vocabulary, options, data.fitting(false), vocabulary.inputs_of(0),
                              static_cast<std::size_t>(options.dictionary_size), 0);
  Sketches sketches(vocabulary, drawing, dictionary, options.is_scale_free);
  std::vector<Formula> formulas;
  std::uint64_t cursor = 0;
  while (formulas.size() < n_sketches)
    if (std::optional<Formula> formula = sketches.next(cursor))
      formulas.push_back(std::move(*formula));
    else
      break;
  return to_rows(vocabulary, formulas);
}

// Several children of one parent, for the seeds 0, 1, 2...
nb::tuple match_subtrees(const Vocabulary& vocabulary, const Data& data, const TokenRows& tokens,
                         const Input<double, 2>& constants, const EvolutionOptions& options, int n_children) {
  require_usable(options);
  const Formula parent = one_formula(vocabulary, tokens, constants);
  const Drawing drawing(vocabulary, options, vocabulary.inputs_of(0));
  const Dictionary dictionary(vocabulary, options, data.fitting(false), vocabulary.inputs_of(0),
                              static_cast<std::size_t>(options.dictionary_size), 0);
  SubtreeMatcher matcher(vocabulary, drawing, dictionary, options.is_scale_free);
  std::vector<Formula> children;
  for (int seed = 0; seed < n_children; ++seed) {
    RandomSource random(static_cast<std::uint64_t>(seed), 0, 0);
    children.push_back(matcher.match(parent, 0, static_cast<int>(parent.tokens.size()), random));
  }
  return to_rows(vocabulary, children);
}

nb::tuple needed_operand_of(const std::string& name, bool is_first, double wanted, double other,
                            double current) {
  for (int i = 0; i < N_OPERATORS; ++i) {
    if (OPERATORS[i].name != name) continue;
    const Needed needed = needed_operand(static_cast<Op>(i), is_first, wanted, other, current);
    return nb::make_tuple(needed.value, needed.slope);
  }
  throw std::invalid_argument("there is no operator " + name);
}

void bind_options(nb::module_& module) {
  nb::class_<EvolutionOptions>(module, "EvolutionOptions")
      .def(nb::init<>())
      .def_prop_rw("operator_weights", &operator_weights, &set_operator_weights)
#define OPTION(name) .def_rw(#name, &EvolutionOptions::name)
          OPTION(n_islands) OPTION(n_sketches) OPTION(island_size) OPTION(parsimony) OPTION(restart_steps)
              OPTION(constant_range) OPTION(crossover_rate) OPTION(move_weights) OPTION(fit_steps)
                  OPTION(is_scale_free) OPTION(dictionary_size) OPTION(exact) OPTION(token_costs)
#undef OPTION
      ;
}

}  // namespace

void bind_evolution(nb::module_& module) {
  nb::list names;
  for (const Move& move : MOVES) names.append(nb::str(move.name.data(), move.name.size()));
  module.attr("MOVES") = nb::tuple(names);
  bind_options(module);

  nb::class_<Refiner>(module, "Refiner")
      .def("__init__", &construct, nb::arg("grammar"), nb::arg("data"), nb::arg("rows"),
           nb::arg("structures"), nb::arg("options"), nb::arg("seed"), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 5>())
      .def("seed", &seed_refiner, nb::arg("tokens"), nb::arg("constants"), nb::arg("n_threads"))
      .def("run", &run_refiner, nb::arg("evaluations").none(), nb::arg("seconds").none(),
           nb::arg("n_threads"), "How it ended: 0 out of budget, 1 exact, 2 exhausted.")
      .def("hall_of_fame", [](const Refiner& self) { return models(self, self.hall_of_fame().entries()); })
      .def("shortlist", [](const Refiner& self) { return models(self, self.shortlist().entries()); })
      .def("elites", [](const Refiner& self, int n) { return individuals_to_rows(self, self.elites(n)); })
      .def("population", [](const Refiner& self) { return individuals_to_rows(self, self.population()); })
      .def("counters", &counters)
      .def("save",
           [](const Refiner& self) {
             const std::string bytes = self.save();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("load", [](Refiner& self, nb::bytes bytes) { self.load({bytes.c_str(), bytes.size()}); });

  nb::class_<StructureMemory>(module, "StructureMemory")
      .def(nb::init<int>(), nb::arg("capacity"))
      .def("count", &StructureMemory::count)
      .def("add", &StructureMemory::add);

  module.def("move", &make_move, nb::arg("name"), nb::arg("vocabulary"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("donor_tokens"), nb::arg("donor_constants"), nb::arg("options"),
             nb::arg("seed"), "(tokens, constants) of the child of one expression, breadth-first.");
  module.def("dictionary", &dictionary_rows, nb::arg("vocabulary"), nb::arg("data"), nb::arg("options"),
             nb::arg("seed"), nb::arg("units").none() = nb::none(),
             "(tokens, constants) of what `match` looks up.");
  module.def("simplest", &simplest_rows, nb::arg("vocabulary"), nb::arg("data"), nb::arg("options"),
             nb::arg("n_entries"), nb::arg("seed"),
             "(tokens, constants) of the dictionary's first entries by simplicity.");
  module.def("sketches", &first_sketches, nb::arg("vocabulary"), nb::arg("data"), nb::arg("options"),
             nb::arg("n_sketches"), "(tokens, constants) of the first sketches of an island.");
  module.def("match", &match_subtrees, nb::arg("vocabulary"), nb::arg("data"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("options"), nb::arg("n_children"));
  module.def("needed_operand", &needed_operand_of, nb::arg("name"), nb::arg("is_first"), nb::arg("wanted"),
             nb::arg("other"), nb::arg("current"));
  module.def(
      "fold_constants",
      [](const Vocabulary& vocabulary, const TokenRows& tokens, const Input<double, 2>& constants) {
        const Formula folded = fold_constants(vocabulary, one_formula(vocabulary, tokens, constants));
        return to_rows(vocabulary, {folded});
      },
      nb::arg("vocabulary"), nb::arg("tokens"), nb::arg("constants"));
  module.def(
      "structure_hash",
      [](const Vocabulary& vocabulary, const TokenRows& tokens, const Input<double, 2>& constants) {
        return structure_hash(vocabulary,
                              breadth_first_of(vocabulary, one_formula(vocabulary, tokens, constants)));
      },
      nb::arg("vocabulary"), nb::arg("tokens"), nb::arg("constants"));
}

}  // namespace ddsr

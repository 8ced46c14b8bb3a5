#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "bindings/data.hpp"
#include "price/enumeration.hpp"
#include "price/fitting.hpp"
#include "price/pricing.hpp"
#include "price/reading.hpp"
#include "price/structure_code.hpp"
#include "price/table_price.hpp"
#include "price/writing.hpp"

namespace ddsr {

namespace {

constexpr std::size_t CHOICE_WIDTH = 5;  // whether listed, three of context, the choice

struct Structures {
  std::vector<PricedStructure> priced;
};

bool is_choice(const std::uint8_t* row) {
  const bool is_new = is_other(row[4]) && row[4] < N_CHOSEN;
  if (row[0] == 0) return row[1] < N_PLACES && row[2] < N_PLACES && (row[4] < N_SYMBOLS || is_new);
  return row[0] == 1 && row[1] < 2 && row[2] < N_LISTED && row[3] < N_PLACES && (row[4] < N_LISTED || is_new);
}

std::vector<Choice> take_choices(const Input<std::uint8_t, 2>& rows) {
  if (rows.shape(1) != CHOICE_WIDTH) throw std::invalid_argument("a choice has five columns");
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const std::uint8_t* row = rows.data() + i * CHOICE_WIDTH;
    if (!is_choice(row)) throw std::invalid_argument("row " + std::to_string(i) + " is not a choice");
    choices.push_back({row[0] == 1, {row[1], row[2], row[3]}, row[4]});
  }
  return choices;
}

// The choices, the values of numbers and the columns of variables.
using DescribedForm = std::tuple<std::vector<std::uint8_t>, std::vector<double>, std::vector<int>>;
using CountedForm = std::pair<DescribedForm, int>;

Structure take_form(const DescribedForm& form) {
  const auto& [chosen, numbers, variables] = form;
  return structure_of_choices(chosen, numbers, variables);
}

KnownForms take_forms(const std::vector<CountedForm>& forms) {
  KnownForms known;
  for (const auto& [form, count] : forms) {
    if (count < 1) throw std::invalid_argument("a form that no formula has");
    known.add(take_form(form), count);
  }
  return known;
}

double mixed_nats(const StructureCode& code, const DescribedForm& form, int n_variables,
                  double described_nats) {
  return code.known().nats(take_form(form), n_variables, described_nats);
}

// An expression in prefix order with a mark for each fitted constant.
struct Marked {
  Formula formula;
  std::unique_ptr<bool[]> is_free;
  std::span<const bool> free() const { return {is_free.get(), formula.constants.size()}; }
};

// Takes each row of a batch; the mask of fitted constants has the shape of the constants.
std::vector<Marked> take_marked(const Vocabulary& vocabulary, const Batch& batch,
                                const Input<std::uint8_t, 2>& is_free) {
  const std::size_t n = batch.expressions.rows.size();
  if (is_free.shape(0) != n || is_free.shape(1) != batch.width)
    throw std::invalid_argument("is_free must have the shape of the constants");
  std::vector<Marked> marked;
  for (std::size_t i = 0; i < n; ++i) {
    // Number the constants to see where they go.
    std::vector<double> numbers(batch.constants[i].size());
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k);
    Formula formula = formula_from_breadth_first(vocabulary, batch.expressions.rows[i], numbers);
    std::unique_ptr<bool[]> free(new bool[numbers.size()]);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const auto from = static_cast<std::size_t>(formula.constants[k]);
      free[k] = is_free.data()[i * batch.width + from] != 0;
      formula.constants[k] = batch.constants[i][from];
    }
    marked.push_back({std::move(formula), std::move(free)});
  }
  return marked;
}

// The choices, numbers and variables of each structure, each with the rows to which they belong.
nb::tuple describe(const Vocabulary& vocabulary, const TokenRows& tokens, const Input<double, 2>& constants,
                   const Input<std::uint8_t, 2>& is_free) {
  const Batch batch = take_batch(vocabulary, tokens, constants);
  std::vector<std::uint8_t> choices;
  std::vector<std::int64_t> row_of_choice, row_of_number, place_of_number, row_of_variable, variables;
  std::vector<double> numbers;
  const std::vector<Marked> marked = take_marked(vocabulary, batch, is_free);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const Description all = described(structure_of(vocabulary, marked[i].formula, marked[i].free()));
    for (const Choice& choice : all.choices) {
      const auto& [first, second, third] = choice.context;
      for (const std::uint8_t value :
           {choice.is_listed ? std::uint8_t{1} : std::uint8_t{0}, first, second, third, choice.chosen})
        choices.push_back(value);
      row_of_choice.push_back(static_cast<std::int64_t>(i));
    }
    for (const auto& [place, number] : all.numbers) {
      row_of_number.push_back(static_cast<std::int64_t>(i));
      place_of_number.push_back(static_cast<std::int64_t>(place));
      numbers.push_back(number);
    }
    for (const int variable : all.variables) {
      row_of_variable.push_back(static_cast<std::int64_t>(i));
      variables.push_back(variable);
    }
  }
  const std::size_t n_choices = row_of_choice.size(), n_numbers = numbers.size(),
                    n_variables = variables.size();
  return nb::make_tuple(
      to_numpy(std::move(choices), {n_choices, CHOICE_WIDTH}),
      to_numpy(std::move(row_of_choice), {n_choices}), to_numpy(std::move(row_of_number), {n_numbers}),
      to_numpy(std::move(place_of_number), {n_numbers}), to_numpy(std::move(numbers), {n_numbers}),
      to_numpy(std::move(row_of_variable), {n_variables}), to_numpy(std::move(variables), {n_variables}));
}

// Tokens, constants and fixed flags of each expression in its usual form; all empty (PAD) if the vocabulary
// cannot write it.
nb::tuple canonical(const Vocabulary& vocabulary, const TokenRows& tokens, const Input<double, 2>& constants,
                    const Input<std::uint8_t, 2>& is_free) {
  const Batch batch = take_batch(vocabulary, tokens, constants);
  std::vector<Formula> formulas;
  std::vector<std::vector<std::uint8_t>> fixed;
  std::size_t length = 1, width = 1;
  for (const Marked& each : take_marked(vocabulary, batch, is_free)) {
    std::optional<Written> written = write(vocabulary, structure_of(vocabulary, each.formula, each.free()));
    const bool is_written =
        written && std::all_of(written->formula.constants.begin(), written->formula.constants.end(),
                               [](double value) { return std::isfinite(value); });
    formulas.emplace_back(), fixed.emplace_back();
    if (!is_written) continue;
    const std::vector<double> values = written->formula.constants;
    for (std::size_t k = 0; k < values.size(); ++k) written->formula.constants[k] = static_cast<double>(k);
    formulas.back() = breadth_first_of(vocabulary, written->formula);
    for (double& constant : formulas.back().constants) {
      const auto from = static_cast<std::size_t>(constant);
      constant = values[from], fixed.back().push_back(written->is_fixed[from]);
    }
    length = std::max(length, formulas.back().tokens.size());
    width = std::max(width, values.size());
  }
  const std::size_t n = formulas.size();
  std::vector<TokenId> all_tokens(n * length, PAD);
  std::vector<double> all_constants(n * width, 0.0);
  std::vector<std::uint8_t> is_fixed(n * width, 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy(formulas[i].tokens.begin(), formulas[i].tokens.end(), &all_tokens[i * length]);
    std::copy(formulas[i].constants.begin(), formulas[i].constants.end(), &all_constants[i * width]);
    std::copy(fixed[i].begin(), fixed[i].end(), &is_fixed[i * width]);
  }
  return nb::make_tuple(to_numpy(std::move(all_tokens), {n, length}),
                        to_numpy(std::move(all_constants), {n, width}),
                        to_numpy(std::move(is_fixed), {n, width}));
}

// The prices of numbers are Python functions: (place, value) and (value) to nats.
auto prices(const StructureCode& code, const Vocabulary& vocabulary, const TokenRows& tokens,
            const Input<double, 2>& constants, const Input<std::uint8_t, 2>& is_free,
            const nb::callable& in_structure, const nb::callable& of_constant) {
  const Batch batch = take_batch(vocabulary, tokens, constants);
  const NumberPrices numbers{[&](NumberPlace place, double value) {
                               return nb::cast<double>(in_structure(static_cast<int>(place), value));
                             },
                             [&](double value) { return nb::cast<double>(of_constant(value)); }};
  std::vector<double> nats;
  for (const Marked& each : take_marked(vocabulary, batch, is_free))
    nats.push_back(price(code, vocabulary, each.formula, each.free(), numbers));
  const std::size_t n = nats.size();
  return to_numpy(std::move(nats), {n});
}

// The prices of a batch with all constants fitted; `is_scaled`: with a fitted factor and maybe an offset.
auto nats_of_candidates(const TablePrice& price, const Vocabulary& vocabulary, const TokenRows& tokens,
                        const Input<double, 2>& constants, bool is_scaled) {
  const Batch batch = take_batch(vocabulary, tokens, constants);
  std::vector<double> nats;
  for (std::size_t i = 0; i < batch.expressions.rows.size(); ++i) {
    const Formula formula =
        formula_from_breadth_first(vocabulary, batch.expressions.rows[i], batch.constants[i]);
    nats.push_back(is_scaled ? price.scaled(vocabulary, formula) : price(vocabulary, formula));
  }
  const std::size_t n = nats.size();
  return to_numpy(std::move(nats), {n});
}

auto nats_of_choices(const StructureCode& code, const Input<std::uint8_t, 2>& rows) {
  const std::vector<Choice> choices = take_choices(rows);
  std::vector<double> nats;
  for (const Choice& choice : choices) nats.push_back(code.nats(choice));
  const std::size_t n = nats.size();
  return to_numpy(std::move(nats), {n});
}

using Numbers = std::vector<std::pair<double, double>>;

std::array<std::vector<PricedNumber>, N_NUMBER_PLACES> take_numbers(const std::vector<Numbers>& numbers) {
  if (numbers.size() != N_NUMBER_PLACES) throw std::invalid_argument("four places have numbers");
  std::array<std::vector<PricedNumber>, N_NUMBER_PLACES> taken;
  for (std::size_t place = 0; place < N_NUMBER_PLACES; ++place)
    for (const auto& [value, nats] : numbers[place]) taken[place].push_back({value, nats});
  return taken;
}

Structures cheapest(const StructureCode& code, int n_variables, const std::vector<std::string>& symbols,
                    const std::vector<Numbers>& numbers, double most_nats, std::size_t most) {
  if (n_variables < 1) throw std::invalid_argument("a table has a column");
  EnumerationOptions options;
  options.n_variables = n_variables, options.most_nats = most_nats, options.most_structures = most;
  for (const std::string& name : symbols) {
    const auto found = std::find(std::begin(SYMBOL_NAMES), std::end(SYMBOL_NAMES), name);
    if (found == std::end(SYMBOL_NAMES)) throw std::invalid_argument("unknown symbol " + name);
    options.is_allowed[static_cast<std::size_t>(found - std::begin(SYMBOL_NAMES))] = true;
  }
  options.numbers = take_numbers(numbers);
  nb::gil_scoped_release release;
  return {cheapest_structures(code, options)};
}

// Merges two lists after raising the prices of each by a fixed amount.
Structures merge(const Structures& first, double first_nats, const Structures& second, double second_nats,
                 std::size_t most) {
  auto raised = [](std::vector<PricedStructure> priced, double nats) {
    for (PricedStructure& each : priced) each.nats += nats;
    return priced;
  };
  return {merged(raised(first.priced, first_nats), raised(second.priced, second_nats), most)};
}

// Returns tokens, constants, fixed flags, mean squared residuals (NaN without a fit), and information.
nb::tuple fit(const Structures& structures, const Vocabulary& vocabulary, const Data& data, std::size_t begin,
              std::size_t end, int n_starts, int max_steps, double tolerance, std::uint64_t seed,
              int n_threads, const Units* units) {
  if (begin > end || end > structures.priced.size()) throw std::invalid_argument("there are not so many");
  if (static_cast<std::size_t>(vocabulary.n_variables()) != data.scoring.n_columns())
    throw std::invalid_argument("the vocabulary's variables are not the columns of X");
  const std::size_t n = end - begin;
  std::size_t length = 1, width = 1;
  std::vector<FittedStructure> fitted;
  {
    nb::gil_scoped_release release;
    const StructureFitOptions options{n_starts, max_steps, tolerance, seed, begin, units};
    fitted = fit_structures(vocabulary, std::span(structures.priced).subspan(begin, n), data.fitting(true),
                            options, n_threads);
  }
  for (const FittedStructure& each : fitted) {
    length = std::max(length, each.formula.tokens.size());
    width = std::max(width, each.formula.constants.size());
  }
  std::vector<TokenId> tokens(n * length, PAD);
  std::vector<double> constants(n * width, 0.0), squares(n, std::nan("")),
      information(n * width * width, 0.0);
  std::vector<std::uint8_t> is_fixed(n * width, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const FittedStructure& each = fitted[i];
    if (each.formula.tokens.empty()) continue;
    const std::size_t k = each.formula.constants.size();
    std::copy(each.formula.tokens.begin(), each.formula.tokens.end(), &tokens[i * length]);
    std::copy(each.formula.constants.begin(), each.formula.constants.end(), &constants[i * width]);
    std::copy(each.is_fixed.begin(), each.is_fixed.end(), &is_fixed[i * width]);
    for (std::size_t a = 0; a < k; ++a)
      std::copy_n(&each.fit.information[a * k], k, &information[(i * width + a) * width]);
    const double error = data.fitting(true).error(each.fit.squares);
    squares[i] = error * error;
  }
  return nb::make_tuple(to_numpy(std::move(tokens), {n, length}), to_numpy(std::move(constants), {n, width}),
                        to_numpy(std::move(is_fixed), {n, width}), to_numpy(std::move(squares), {n}),
                        to_numpy(std::move(information), {n, width, width}));
}

}  // namespace

void bind_price(nb::module_& module) {
  module.attr("SYMBOLS") =
      nb::cast(std::vector<std::string>(std::begin(SYMBOL_NAMES), std::end(SYMBOL_NAMES)));
  module.attr("PLACES") = nb::cast(std::vector<std::string>(std::begin(PLACE_NAMES), std::end(PLACE_NAMES)));
  nb::class_<StructureCode>(module, "StructureCode")
      .def("__init__",
           [](StructureCode* self, const Input<std::uint8_t, 2>& choices,
              const std::vector<CountedForm>& forms) {
             new (self) StructureCode(take_choices(choices), take_forms(forms));
           })
      .def("nats", &nats_of_choices)
      .def("mixed_nats", &mixed_nats)
      .def("prices", &prices);
  nb::class_<TablePrice>(module, "TablePrice")
      .def(
          "__init__",
          [](TablePrice* self, const StructureCode& fitted, double nats_of_fitted,
             const std::vector<Numbers>& numbers_of_fitted, const StructureCode& columns,
             double nats_of_columns, const std::vector<Numbers>& numbers_of_columns) {
            new (self) TablePrice({&fitted, nats_of_fitted, take_numbers(numbers_of_fitted)},
                                  {&columns, nats_of_columns, take_numbers(numbers_of_columns)});
          },
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>())
      .def("nats", &nats_of_candidates);
  nb::class_<Structures>(module, "Structures")
      .def("__len__", [](const Structures& self) { return self.priced.size(); })
      .def("nats",
           [](const Structures& self) {
             std::vector<double> nats;
             for (const PricedStructure& each : self.priced) nats.push_back(each.nats);
             const std::size_t n = nats.size();
             return to_numpy(std::move(nats), {n});
           })
      .def("fit", &fit, nb::arg("vocabulary"), nb::arg("data"), nb::arg("begin"), nb::arg("end"),
           nb::arg("n_starts"), nb::arg("max_steps"), nb::arg("tolerance"), nb::arg("seed"),
           nb::arg("n_threads"), nb::arg("units").none() = nb::none());
  module.def("describe_structures", &describe);
  module.def("canonical", &canonical);
  module.def("cheapest_structures", &cheapest);
  module.def("merged_structures", &merge);
}

}  // namespace ddsr

#include <algorithm>
#include <optional>

#include "bindings/signs.hpp"
#include "examples/example_maker.hpp"
#include "examples/signature.hpp"
#include "parallel.hpp"

namespace ddsr {

namespace {

constexpr std::size_t EXAMPLES_AT_A_TIME = 8;

void check(const Grammar& grammar, const ExampleOptions& options) {
  const Vocabulary& vocabulary = grammar.vocabulary;
  if (vocabulary.constant() < 0) throw nb::value_error("examples need a vocabulary with a constant");
  if (options.max_variables < 1 || options.max_variables > vocabulary.n_variables())
    throw nb::value_error("max_variables must be from 1 to the number of the vocabulary's variables");
  if (options.n_rows < 2 || options.fewest_rows < 2 || options.most_rows < options.fewest_rows)
    throw nb::value_error("examples need at least 2 rows, and most_rows not below fewest_rows");
  if (options.max_length < 1 || options.max_constants < 0)
    throw nb::value_error("max_length must be at least 1 and max_constants at least 0");
  if (!(options.least_noise > 0.0 && options.least_noise <= options.most_noise && options.most_noise < 1e6))
    throw nb::value_error("noise must be above 0, and most_noise not below least_noise");
}

nb::dict make_examples(const Grammar& grammar, const ExampleOptions& options, std::uint64_t seed,
                       std::uint64_t first_index, std::size_t n, bool with_clean, int n_threads) {
  check(grammar, options);
  const auto length = static_cast<std::size_t>(options.max_length),
             width = static_cast<std::size_t>(options.max_constants),
             rows = static_cast<std::size_t>(options.n_rows),
             columns = static_cast<std::size_t>(options.max_variables);
  std::vector<TokenId> tokens(n * length, PAD);
  std::vector<double> constants(n * width, 0.0);
  std::vector<float> x(n * rows * columns, 0.0f), y(n * rows, 0.0f), clean(with_clean ? n * rows : 0, 0.0f);
  std::vector<std::int32_t> n_variables(n), n_rows(n);
  std::vector<float> noise(n);
  {
    nb::gil_scoped_release release;
    parallel_with(n, n_threads, EXAMPLES_AT_A_TIME, [&] {
      return [&, maker = std::make_unique<ExampleMaker>(grammar, options)](std::size_t i) {
        maker->make(seed, first_index + i,
                    {tokens.data() + i * length, constants.data() + i * width, x.data() + i * rows * columns,
                     y.data() + i * rows, with_clean ? clean.data() + i * rows : nullptr, &n_variables[i],
                     &n_rows[i], &noise[i]});
      };
    });
  }
  nb::dict made;
  made["tokens"] = to_numpy(std::move(tokens), {n, length});
  made["constants"] = to_numpy(std::move(constants), {n, width});
  made["x"] = to_numpy(std::move(x), {n, rows, columns});
  made["y"] = to_numpy(std::move(y), {n, rows});
  made["y_clean"] = with_clean ? nb::cast(to_numpy(std::move(clean), {n, rows})) : nb::none();
  made["n_variables"] = to_numpy(std::move(n_variables), {n});
  made["n_rows"] = to_numpy(std::move(n_rows), {n});
  made["noise"] = to_numpy(std::move(noise), {n});
  return made;
}

// Returns (tokens, constants, has_form): rows in standard form, breadth-first; empty if there is none.
nb::tuple standard_forms(const Vocabulary& vocabulary, const TokenRows& tokens,
                         const Input<double, 2>& constants, const Input<std::uint8_t, 1>& signs,
                         int n_threads) {
  if (vocabulary.constant() < 0) throw nb::value_error("standard forms need a vocabulary with a constant");
  const std::vector<Sign> known = take_signs(vocabulary, signs);
  const Batch batch = take_batch(vocabulary, tokens, constants);
  const std::size_t n = batch.expressions.rows.size();
  std::vector<Formula> forms(n);
  std::vector<TokenId> new_tokens;
  std::vector<double> new_constants;
  std::vector<std::uint8_t> has_form(n, 0);
  std::size_t length = 1, width = 0;
  {
    nb::gil_scoped_release release;
    parallel_with(n, n_threads, EXAMPLES_AT_A_TIME, [&] {
      return [&, standardizer = std::make_unique<Standardizer>(vocabulary)](std::size_t i) {
        const auto form = standardizer->standard_form(
            formula_from_breadth_first(vocabulary, batch.expressions.rows[i], batch.constants[i]), known);
        if (form) forms[i] = breadth_first_of(vocabulary, *form), has_form[i] = 1;
      };
    });
    for (const Formula& form : forms) {
      length = std::max(length, form.tokens.size());
      width = std::max(width, form.constants.size());
    }
    new_tokens.resize(n * length, PAD);
    new_constants.resize(n * width, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::copy(forms[i].tokens, new_tokens.begin() + static_cast<std::ptrdiff_t>(i * length));
      std::ranges::copy(forms[i].constants, new_constants.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
  }
  return nb::make_tuple(to_numpy(std::move(new_tokens), {n, length}),
                        to_numpy(std::move(new_constants), {n, width}), to_numpy(std::move(has_form), {n}));
}

nb::ndarray<nb::numpy, std::uint64_t> structure_signatures(const Vocabulary& vocabulary,
                                                           const TokenRows& tokens, int n_threads) {
  const Expressions expressions(vocabulary, tokens);
  std::vector<std::uint64_t> signatures(expressions.rows.size());
  {
    nb::gil_scoped_release release;
    parallel_for(signatures.size(), n_threads, [&](std::size_t i) {
      signatures[i] = structure_signature(vocabulary, expressions.rows[i]);
    });
  }
  const std::size_t n = signatures.size();
  return to_numpy(std::move(signatures), {n});
}

}  // namespace

void bind_examples(nb::module_& module) {
  nb::class_<ExampleOptions>(module, "ExampleOptions")
      .def(nb::init<>())
      .def_rw("max_variables", &ExampleOptions::max_variables)
      .def_rw("max_length", &ExampleOptions::max_length)
      .def_rw("max_constants", &ExampleOptions::max_constants)
      .def_rw("n_rows", &ExampleOptions::n_rows)
      .def_rw("fewest_rows", &ExampleOptions::fewest_rows)
      .def_rw("most_rows", &ExampleOptions::most_rows)
      .def_rw("noisy_share", &ExampleOptions::noisy_share)
      .def_rw("least_noise", &ExampleOptions::least_noise)
      .def_rw("most_noise", &ExampleOptions::most_noise)
      .def_rw("irrelevant_share", &ExampleOptions::irrelevant_share)
      .def_rw("unstructured_share", &ExampleOptions::unstructured_share);
  module.def("make_examples", &make_examples, nb::arg("grammar"), nb::arg("options"), nb::arg("seed"),
             nb::arg("first_index"), nb::arg("n"), nb::arg("with_clean"), nb::arg("n_threads"));
  module.def("structure_signatures", &structure_signatures, nb::arg("vocabulary"), nb::arg("tokens"),
             nb::arg("n_threads"));
  module.def("standard_forms", &standard_forms, nb::arg("vocabulary"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("signs"), nb::arg("n_threads"));
}

}  // namespace ddsr

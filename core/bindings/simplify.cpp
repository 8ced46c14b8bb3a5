#include "simplify/simplify.hpp"

#include <algorithm>

#include "bindings/bindings.hpp"
#include "parallel.hpp"

namespace ddsr {

namespace {

constexpr std::size_t ROWS_AT_A_TIME = 16;

// The rows simplified, breadth-first. There may be more columns of constants than were given: x*x*x becomes
// x^3.
nb::tuple simplify_batch(const Vocabulary& vocabulary, const TokenRows& tokens,
                         const Input<double, 2>& constants, int n_threads) {
  const Batch batch = take_batch(vocabulary, tokens, constants);
  const std::size_t n = batch.expressions.rows.size(), length = tokens.shape(1);
  std::vector<TokenId> new_tokens(n * length, PAD);
  std::vector<double> new_constants;
  std::size_t width = batch.width;
  {
    nb::gil_scoped_release release;
    std::vector<Formula> simple(n);
    parallel_with(n, n_threads, ROWS_AT_A_TIME, [&] {
      return [&, simplifier = std::make_unique<Simplifier>(vocabulary)](std::size_t i) {
        const Formula given =
            formula_from_breadth_first(vocabulary, batch.expressions.rows[i], batch.constants[i]);
        simple[i] = breadth_first_of(vocabulary, simplifier->simplify(given));
      };
    });
    for (const Formula& formula : simple) width = std::max(width, formula.constants.size());
    new_constants.resize(n * width, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::copy(simple[i].tokens, new_tokens.begin() + static_cast<std::ptrdiff_t>(i * length));
      std::ranges::copy(simple[i].constants, new_constants.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
  }
  return nb::make_tuple(to_numpy(std::move(new_tokens), {n, length}),
                        to_numpy(std::move(new_constants), {n, width}));
}

}  // namespace

void bind_simplify(nb::module_& module) {
  module.def("simplify", &simplify_batch, nb::arg("vocabulary"), nb::arg("tokens"), nb::arg("constants"),
             nb::arg("n_threads"));
}

}  // namespace ddsr

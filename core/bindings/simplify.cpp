#include "simplify/simplify.hpp"

#include <algorithm>
#include <stdexcept>

#include "bindings/signs.hpp"
#include "parallel.hpp"

namespace ddsr {

std::vector<Sign> take_signs(const Vocabulary& vocabulary, const Input<std::uint8_t, 1>& signs) {
  if (signs.shape(0) != static_cast<std::size_t>(vocabulary.n_variables()))
    throw std::invalid_argument("there must be a sign for each variable");
  std::vector<Sign> taken;
  for (std::size_t i = 0; i < signs.shape(0); ++i) {
    if (signs.data()[i] > static_cast<std::uint8_t>(Sign::Positive))
      throw std::invalid_argument("a sign is 0 (any), 1 (nonnegative) or 2 (positive)");
    taken.push_back(static_cast<Sign>(signs.data()[i]));
  }
  return taken;
}

namespace {

constexpr std::size_t ROWS_AT_A_TIME = 16;

// The rows simplified, breadth-first. There may be more columns of constants than were given: x*x*x becomes
// x^3.
nb::tuple simplify_batch(const Vocabulary& vocabulary, const TokenRows& tokens,
                         const Input<double, 2>& constants, const Input<std::uint8_t, 1>& signs,
                         int n_threads) {
  const std::vector<Sign> known = take_signs(vocabulary, signs);
  const Batch batch = take_batch(vocabulary, tokens, constants);
  const std::size_t n = batch.expressions.rows.size(), length = tokens.shape(1);
  std::vector<TokenId> new_tokens(n * length, PAD);
  std::vector<double> new_constants;
  std::size_t width = batch.width;
  {
    nb::gil_scoped_release release;
    std::vector<Formula> simple(n);
    parallel_with(n, n_threads, ROWS_AT_A_TIME, [&] {
      return [&, simplifier = std::make_unique<Simplifier>(vocabulary, known)](std::size_t i) {
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
             nb::arg("signs"), nb::arg("n_threads"));
}

}  // namespace ddsr

#include "simplify/simplify.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/signs.hpp"
#include "expression/tree.hpp"
#include "parallel.hpp"
#include "simplify/inverses.hpp"
#include "simplify/needless.hpp"
#include "simplify/notation.hpp"

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

// Simplifies rows, breadth-first. The result may have more columns of constants than the input: x*x*x becomes
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

// Converts one expression from breadth-first to prefix order.
Formula take_formula(const Vocabulary& vocabulary, const std::vector<TokenId>& tokens,
                     const std::vector<double>& constants) {
  if (const Flaw flaw = find_flaw(vocabulary, tokens)) throw std::invalid_argument(flaw.reason);
  const auto n = std::ranges::count_if(tokens, [&](TokenId id) { return vocabulary.is_constant(id); });
  if (static_cast<std::size_t>(n) != constants.size())
    throw std::invalid_argument("there must be a value for each constant");
  return formula_from_breadth_first(vocabulary, tokens, constants);
}

nb::tuple to_tuple(Formula formula) { return nb::make_tuple(formula.tokens, formula.constants); }

nb::tuple with_roots_of(const Vocabulary& vocabulary, const std::vector<TokenId>& tokens,
                        const std::vector<double>& constants, const Input<std::uint8_t, 1>& signs) {
  const std::vector<Sign> known = take_signs(vocabulary, signs);
  const Formula formula = take_formula(vocabulary, tokens, constants);
  return to_tuple(breadth_first_of(vocabulary, with_roots(vocabulary, known, formula)));
}

// Converts the flags of fixed constants from one order to the other.
std::vector<bool> reordered_flags(const Vocabulary& vocabulary, const std::vector<TokenId>& tokens,
                                  const std::vector<bool>& flags, bool is_breadth_first) {
  const std::vector<double> numbers(flags.begin(), flags.end());
  const Formula moved = is_breadth_first ? formula_from_breadth_first(vocabulary, tokens, numbers)
                                         : breadth_first_of(vocabulary, {tokens, numbers});
  return {moved.constants.begin(), moved.constants.end()};
}

nb::tuple to_tuple(const Vocabulary& vocabulary, const FlaggedFormula& flagged) {
  const Formula formula = breadth_first_of(vocabulary, flagged.formula);
  return nb::make_tuple(formula.tokens, formula.constants,
                        reordered_flags(vocabulary, flagged.formula.tokens, flagged.is_fixed, false));
}

FlaggedFormula take_flagged(const Vocabulary& vocabulary, const std::vector<TokenId>& tokens,
                            const std::vector<double>& constants, const std::vector<bool>& is_fixed) {
  Formula formula = take_formula(vocabulary, tokens, constants);
  if (is_fixed.size() != constants.size())
    throw std::invalid_argument("there must be a flag for each constant");
  return {std::move(formula), reordered_flags(vocabulary, tokens, is_fixed, true)};
}

// Simplifies a tree over a wide vocabulary, using its fixed constants, and returns (tokens, constants,
// is_fixed) over another vocabulary; None if it has no value or the vocabulary cannot write it.
std::optional<nb::tuple> drop_needless(const Vocabulary& wide, const Vocabulary& vocabulary,
                                       const std::vector<TokenId>& tokens,
                                       const std::vector<double>& constants,
                                       const std::vector<bool>& is_fixed) {
  if (wide.n_variables() != vocabulary.n_variables())
    throw std::invalid_argument("the vocabularies must have the same variables");
  std::optional<Tree> tree = tree_of(wide, take_flagged(wide, tokens, constants, is_fixed));
  if (tree) tree = without_needless(vocabulary, *tree);
  if (!tree) return {};
  const std::optional<FlaggedFormula> formula = written(vocabulary, *tree);
  if (!formula) return {};
  return to_tuple(vocabulary, *formula);
}

// Returns (tokens, constants, is_fixed) of an expression in its usual notation; None if nothing changes.
std::optional<nb::tuple> rewrite_notation(const Vocabulary& vocabulary, const std::vector<TokenId>& tokens,
                                          const std::vector<double>& constants,
                                          const std::vector<bool>& is_fixed,
                                          const std::vector<std::string>& names,
                                          const std::optional<nb::callable>& is_allowed,
                                          const nb::callable& is_exact) {
  const FlaggedFormula given = take_flagged(vocabulary, tokens, constants, is_fixed);
  std::vector<NotationRule> rules;
  for (const std::string& name : names) {
    const auto* found = std::ranges::find(NOTATION_RULES, name);
    if (found == std::end(NOTATION_RULES))
      throw std::invalid_argument("there is no notation rule '" + name + "'");
    rules.push_back(static_cast<NotationRule>(found - std::begin(NOTATION_RULES)));
  }
  IsAllowed may_be;
  if (is_allowed)
    may_be = [&](const FlaggedFormula& formula) {
      const Formula form = breadth_first_of(vocabulary, formula.formula);
      return nb::cast<bool>((*is_allowed)(form.tokens, form.constants));
    };
  const auto found = rewritten(vocabulary, given, rules, may_be,
                               [&](double value) { return nb::cast<bool>(is_exact(value)); });
  if (!found) return {};
  return to_tuple(vocabulary, *found);
}

}  // namespace

void bind_simplify(nb::module_& module) {
  module.attr("NOTATION_RULES") =
      nb::cast(std::vector<std::string>(std::begin(NOTATION_RULES), std::end(NOTATION_RULES)));
  module.attr("SIMPLE_BASES") =
      nb::cast(std::vector<double>(std::begin(SIMPLE_BASES), std::end(SIMPLE_BASES)));
  module.def("rewrite_notation", &rewrite_notation, nb::arg("vocabulary"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("is_fixed"), nb::arg("rules"), nb::arg("is_allowed").none(),
             nb::arg("is_exact"));
  module.def("drop_needless", &drop_needless, nb::arg("wide"), nb::arg("vocabulary"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("is_fixed"));
  module.def("with_roots", &with_roots_of, nb::arg("vocabulary"), nb::arg("tokens"), nb::arg("constants"),
             nb::arg("signs"));
  module.def("simplify", &simplify_batch, nb::arg("vocabulary"), nb::arg("tokens"), nb::arg("constants"),
             nb::arg("signs"), nb::arg("n_threads"));
}

}  // namespace ddsr

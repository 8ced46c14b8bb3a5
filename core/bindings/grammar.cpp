#include "grammar/grammar.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "grammar/fill.hpp"
#include "grammar/violation.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace ddsr {

namespace {

using Tokens = std::vector<TokenId>;
using Logits = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using LogitsOf = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void check_units(const Vocabulary& vocabulary, const Units& units) {
  if (static_cast<int>(units.of_variables.size()) != vocabulary.n_variables())
    refuse("each variable needs a unit");
  if (vocabulary.pattern() == nullptr) return;
  const std::vector<Template::Hole>& holes = vocabulary.pattern()->holes;
  const TemplateUnits& pattern = units.of_template;
  const auto is_fit = [&](const HoleSum& sum) { return sum.factors.size() == holes.size(); };
  const auto n_constants = std::ranges::count_if(holes, &Template::Hole::is_constant);
  if (pattern.constants.size() > static_cast<std::size_t>(n_constants) ||
      !std::ranges::all_of(pattern.laws, is_fit) ||
      !std::ranges::all_of(pattern.constants, [&](const auto& sum) { return !sum || is_fit(*sum); }))
    refuse("the units are those of another template");
}

void construct(Grammar* grammar, const Vocabulary& vocabulary, int max_length, int max_constants,
               const std::vector<std::tuple<Tokens, Tokens, int>>& nestings,
               const std::vector<std::tuple<Tokens, int>>& uses, const Tokens& required,
               const std::optional<Units>& units, const std::optional<FormRules>& form) {
  Rules rules{max_length, max_constants, {}, {}, required, units, form.value_or(FormRules{})};
  for (const SizeRule& rule : rules.form.sizes)
    if (!vocabulary.holds(rule.op)) refuse("a rule on sizes names an unknown token");
  for (const auto& [outer, inner, at_most] : nestings) rules.nestings.push_back({outer, inner, at_most});
  for (const auto& [tokens, at_most] : uses) rules.uses.push_back({tokens, at_most});
  if (units) check_units(vocabulary, *units);
  new (grammar) Grammar(vocabulary, std::move(rules));
}

std::string shape_text(std::initializer_list<std::size_t> shape) {
  std::string text;
  for (std::size_t n : shape) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

void check_threads(int n_threads) {
  if (n_threads < 1) refuse("n_threads is " + std::to_string(n_threads) + "; at least 1 is needed");
}

void check_fill(const Grammar& grammar, const Logits& logits, const OwnRows& kept, std::size_t n_rows) {
  const auto length = static_cast<std::size_t>(grammar.rules.max_length);
  const auto n_tokens = static_cast<std::size_t>(grammar.vocabulary.size());
  if (logits.shape(1) != length || logits.shape(2) != n_tokens)
    refuse("logits have the shape " + shape_text({logits.shape(0), logits.shape(1), logits.shape(2)}) +
           "; the grammar needs " + shape_text({logits.shape(0), length, n_tokens}));
  if (kept.n_rows != n_rows || kept.length != length)
    refuse("kept tokens have the shape " + shape_text({kept.n_rows, kept.length}) + ", the logits need " +
           shape_text({n_rows, length}));
  const auto bad = std::find_if(kept.memory.begin(), kept.memory.end(), [&](TokenId id) {
    return id < std::min(MASK, PAD) || id >= grammar.vocabulary.size();
  });
  if (bad == kept.memory.end()) return;
  const auto at = static_cast<std::size_t>(bad - kept.memory.begin());
  refuse("kept token " + std::to_string(*bad) + " (row " + std::to_string(at / length) + ", position " +
         std::to_string(at % length) + ") is not in the vocabulary of " + std::to_string(n_tokens));
}

// A copy: another Python thread could change the numbers after their check.
std::vector<std::int64_t> checked_numbers(const LogitsOf& numbers, std::size_t n_logits) {
  std::vector<std::int64_t> own(numbers.data(), numbers.data() + numbers.shape(0));
  for (std::int64_t number : own)
    if (number < 0 || static_cast<std::size_t>(number) >= n_logits)
      refuse("logits_of holds " + std::to_string(number) + "; there are logits of " +
             std::to_string(n_logits) + " rows");
  return own;
}

nb::tuple fill_rows(const Grammar& grammar, const Logits& logits, const TokenRows& kept_rows,
                    std::uint64_t seed, std::uint64_t stream, int n_threads) {
  const OwnRows kept(kept_rows);
  check_fill(grammar, logits, kept, logits.shape(0));
  check_threads(n_threads);
  const std::size_t n_rows = kept.n_rows, length = kept.length;
  std::vector<TokenId> tokens(n_rows * length);
  std::vector<float> log_probs(n_rows * length);
  {
    nb::gil_scoped_release released;
    fill(grammar, {n_rows, logits.data(), kept.memory.data()}, seed, stream, n_threads,
         {tokens.data(), log_probs.data()});
  }
  return nb::make_tuple(to_numpy(std::move(tokens), {n_rows, length}),
                        to_numpy(std::move(log_probs), {n_rows, length}));
}

auto fill_tokens(const Grammar& grammar, const Logits& logits, const TokenRows& kept_rows, std::uint64_t seed,
                 std::uint64_t stream, int n_threads, const std::optional<LogitsOf>& logits_of) {
  const OwnRows kept(kept_rows);
  check_fill(grammar, logits, kept, logits_of ? logits_of->shape(0) : logits.shape(0));
  check_threads(n_threads);
  std::vector<std::int64_t> numbers;
  if (logits_of) numbers = checked_numbers(*logits_of, logits.shape(0));
  std::vector<TokenId> tokens(kept.memory.size());
  {
    nb::gil_scoped_release released;
    fill(grammar, {kept.n_rows, logits.data(), kept.memory.data(), logits_of ? numbers.data() : nullptr},
         seed, stream, n_threads, {tokens.data(), nullptr});
  }
  return to_numpy(std::move(tokens), {kept.n_rows, kept.length});
}

bool is_known(TokenId id) { return id != PAD && id != MASK; }

// The tokens before the first unknown position; none may follow it.
std::span<const TokenId> known_prefix(std::span<const TokenId> row) {
  const auto end = std::find_if_not(row.begin(), row.end(), is_known);
  const auto stray = std::find_if(end, row.end(), is_known);
  if (stray == row.end()) return {row.begin(), end};
  refuse("position " + std::to_string(stray - row.begin()) + ": a token stands behind position " +
         std::to_string(end - row.begin()) + ", which is not known");
}

void check_prefix(const Grammar& grammar, const OwnRows& rows, std::size_t index) {
  std::string reason;
  try {
    const Flaw flaw = find_violation_in_prefix(grammar, known_prefix(rows[index]));
    if (!flaw) return;
    reason = "position " + std::to_string(flaw.position) + ": " + flaw.reason;
  } catch (const std::invalid_argument& error) {
    reason = error.what();
  }
  refuse("row " + std::to_string(index) + ", " + reason);
}

auto legal_tokens(const Grammar& grammar, const TokenRows& token_rows, int n_threads) {
  check_threads(n_threads);
  const OwnRows rows(token_rows);
  const std::size_t n_rows = rows.n_rows, length = rows.length;
  const auto n_tokens = static_cast<std::size_t>(grammar.vocabulary.size());
  std::vector<std::uint8_t> legal(n_rows * length * n_tokens);
  {
    nb::gil_scoped_release released;
    parallel_with(n_rows, n_threads, 64, [&] {
      return [&, marker = LegalMarker(grammar)](std::size_t i) mutable {
        const std::span<const TokenId> row = rows[i];
        const bool is_prefix = std::is_partitioned(row.begin(), row.end(), is_known);
        if (marker.mark(row, legal.data() + i * length * n_tokens) >= 0 || !is_prefix)
          check_prefix(grammar, rows, i);
      };
    });
  }
  return to_numpy(std::move(legal), {n_rows, length, n_tokens});
}

// The constants of the rows: a copy, for the same reason as for the tokens.
struct OwnConstants {
  std::vector<double> memory;
  std::size_t width = 0;

  OwnConstants(const std::optional<Input<double, 2>>& given, std::size_t n_rows) {
    if (!given) return;
    if (given->shape(0) != n_rows) refuse("there must be a row of constants for each row of tokens");
    memory.assign(given->data(), given->data() + given->size());
    width = given->shape(1);
  }
  std::span<const double> operator[](std::size_t row) const {
    return std::span(memory).subspan(row * width, width);
  }
};

auto is_legal(const Grammar& grammar, const TokenRows& token_rows, int n_threads,
              const std::optional<Input<double, 2>>& given_constants) {
  check_threads(n_threads);
  const OwnRows rows(token_rows);
  const OwnConstants constants(given_constants, rows.n_rows);
  std::vector<std::uint8_t> legal(rows.n_rows);
  {
    nb::gil_scoped_release released;
    parallel_for(legal.size(), n_threads, [&](std::size_t i) {
      const std::span<const TokenId> row = rows[i];
      const auto length = static_cast<std::size_t>(length_of(row));
      const bool is_padded =
          std::all_of(row.begin() + length_of(row), row.end(), [](TokenId id) { return id == PAD; });
      legal[i] = is_padded && !find_violation(grammar, row.first(length), constants[i]);
    });
  }
  return to_numpy(std::move(legal), {legal.size()});
}

auto sets_to_numpy(const Grammar& grammar, int n_sets, const auto& set_of) {
  const auto n_words = static_cast<std::size_t>(grammar.n_words());
  std::vector<Word> words;
  for (int i = 0; i < n_sets; ++i) words.insert(words.end(), set_of(i), set_of(i) + n_words);
  return to_numpy(std::move(words), {static_cast<std::size_t>(n_sets), n_words});
}

// The tables that a fill outside of the core needs. A set of tokens is a row of words of 64 tokens each.
nb::dict tables(const Grammar& grammar) {
  const int n_tokens = grammar.vocabulary.size(), n_contexts = grammar.contexts.size();
  std::vector<std::uint16_t> below;
  for (int context = 0; context < n_contexts; ++context)
    for (int id = 0; id < n_tokens; ++id)
      below.push_back(grammar.contexts.below(context, static_cast<TokenId>(id)));
  std::vector<int> use_limits;
  for (const UseRule& rule : grammar.rules.uses) use_limits.push_back(rule.at_most);
  const std::size_t n_uses = use_limits.size();
  nb::dict result;
  result["allowed"] =
      sets_to_numpy(grammar, n_contexts, [&](int context) { return grammar.contexts.allowed(context); });
  result["below"] =
      to_numpy(std::move(below), {static_cast<std::size_t>(n_contexts), static_cast<std::size_t>(n_tokens)});
  result["directly_below"] = sets_to_numpy(grammar, grammar.vocabulary.n_operators() + 1, [&](int row) {
    return grammar.directly_below(static_cast<TokenId>(row - 1));
  });
  result["of_arity_at_most"] =
      sets_to_numpy(grammar, 3, [&](int arity) { return grammar.of_arity_at_most(arity); });
  result["constant_like"] = sets_to_numpy(grammar, 1, [&](int) { return grammar.constant_like(); });
  result["use_sets"] =
      sets_to_numpy(grammar, static_cast<int>(n_uses), [&](int rule) { return grammar.tokens_of_use(rule); });
  result["use_limits"] = to_numpy(std::move(use_limits), {n_uses});
  result["needs_lookahead"] = grammar.needs_lookahead() || grammar.unit_tables() != nullptr;
  return result;
}

Unit to_unit(const std::vector<int>& parts) {
  if (parts.size() != Unit::N_DIMENSIONS)
    refuse("a unit must have " + std::to_string(Unit::N_DIMENSIONS) + " exponents");
  Unit unit;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::abs(parts[i]) > Unit::MOST_PARTS) refuse("an exponent of a unit is too large");
    unit.parts[i] = static_cast<std::int16_t>(parts[i]);
  }
  return unit;
}

// Factors of the holes, and parts.
using Sum = std::tuple<std::vector<double>, std::vector<double>>;

HoleSum to_sum(const Sum& given) {
  const auto& [factors, parts] = given;
  if (parts.size() != Unit::N_DIMENSIONS)
    refuse("a unit must have " + std::to_string(Unit::N_DIMENSIONS) + " exponents");
  HoleSum sum{factors, {}};
  std::ranges::copy(parts, sum.parts.begin());
  return sum;
}

void construct_units(Units* self, const std::vector<std::vector<int>>& of_variables,
                     const std::vector<int>& of_target, int most_constants, const std::vector<Sum>& laws,
                     const std::vector<std::optional<Sum>>& constants) {
  Units units{{}, to_unit(of_target), std::max(most_constants, 0)};
  for (const std::vector<int>& parts : of_variables) units.of_variables.push_back(to_unit(parts));
  for (const Sum& law : laws) units.of_template.laws.push_back(to_sum(law));
  for (const std::optional<Sum>& sum : constants)
    units.of_template.constants.push_back(sum ? std::optional(to_sum(*sum)) : std::nullopt);
  new (self) Units(std::move(units));
}

auto mark_fixed(const Vocabulary& vocabulary, const Units& units, const TokenRows& tokens,
                const Input<double, 2>& constants) {
  check_units(vocabulary, units);
  const Batch batch = take_batch(vocabulary, tokens, constants);
  const std::size_t n = batch.constants.size();
  std::vector<std::uint8_t> marks(n * batch.width);
  for (std::size_t i = 0; i < n; ++i) {
    const auto fixed = fixed_by_units(vocabulary, units, batch.expressions.rows[i], batch.constants[i]);
    std::copy(fixed.begin(), fixed.end(), marks.begin() + static_cast<std::ptrdiff_t>(i * batch.width));
  }
  return to_numpy(std::move(marks), {n, batch.width});
}

using UnitParts = std::vector<int>;

// Exponents of the unit of each constant, as multiples of 1 / UNIT_PARTS; nothing where it is not determined.
std::vector<std::optional<UnitParts>> constant_units(const Vocabulary& vocabulary, const Units& units,
                                                     const TokenRow& tokens,
                                                     const std::vector<double>& constants) {
  check_units(vocabulary, units);
  const auto row = row_span(tokens);
  const auto length = static_cast<std::size_t>(length_of(row));
  std::vector<std::optional<UnitParts>> found;
  for (const std::optional<Unit>& unit : units_of_constants(vocabulary, units, row.first(length), constants))
    found.push_back(unit ? std::optional(UnitParts(unit->parts.begin(), unit->parts.end())) : std::nullopt);
  return found;
}

using UnitsState =
    std::tuple<std::vector<UnitParts>, UnitParts, int, std::vector<Sum>, std::vector<std::optional<Sum>>>;

UnitParts parts_of(const Unit& unit) { return {unit.parts.begin(), unit.parts.end()}; }

Sum of_sum(const HoleSum& sum) { return {sum.factors, {sum.parts.begin(), sum.parts.end()}}; }

UnitsState state_of(const Units& units) {
  std::vector<UnitParts> of_variables;
  for (const Unit& unit : units.of_variables) of_variables.push_back(parts_of(unit));
  std::vector<Sum> laws;
  for (const HoleSum& law : units.of_template.laws) laws.push_back(of_sum(law));
  std::vector<std::optional<Sum>> constants;
  for (const std::optional<HoleSum>& sum : units.of_template.constants)
    constants.push_back(sum ? std::optional(of_sum(*sum)) : std::nullopt);
  return {of_variables, parts_of(units.of_target), units.most_constants, laws, constants};
}

void bind_units(nb::module_& module) {
  nb::class_<Units>(module, "Units")
      .def("__init__", &construct_units, nb::arg("of_variables"), nb::arg("of_target"),
           nb::arg("most_constants"), nb::arg("laws") = std::vector<Sum>{},
           nb::arg("constants") = std::vector<std::optional<Sum>>{},
           "Each unit is a list of exponents, as multiples of 1 / UNIT_PARTS. With a template: sums of the "
           "holes' units, as factors and a constant term, that must be 0, and those that its constants have.")
      .def_prop_ro("allows_offset", &Units::allows_offset)
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Units& units, const UnitsState& state) {
        std::apply([&](const auto&... parts) { construct_units(&units, parts...); }, state);
      });
  module.attr("UNIT_PARTS") = Unit::PARTS;
  module.attr("UNIT_DIMENSIONS") = Unit::N_DIMENSIONS;
  module.def("fixed_by_units", &mark_fixed, nb::arg("vocabulary"), nb::arg("units"), nb::arg("tokens"),
             nb::arg("constants"), "1 for each constant that is an exponent of something with a unit.");
  module.def("units_of_constants", &constant_units, nb::arg("vocabulary"), nb::arg("units"),
             nb::arg("tokens"), nb::arg("constants"),
             "The unit of each constant of a consistent expression, or None.");
}

}  // namespace

void bind_grammar(nb::module_& module) {
  bind_units(module);
  nb::class_<Grammar>(module, "Grammar")
      .def("__init__", &construct, nb::arg("vocabulary"), nb::arg("max_length"), nb::arg("max_constants"),
           nb::arg("nestings"), nb::arg("uses"), nb::arg("required"), nb::arg("units").none(),
           nb::arg("form").none() = nb::none(),
           "nestings: (outer, inner, at_most); uses: (tokens, at_most); messages write tokens as #id.")
      .def("legal_tokens", &legal_tokens, nb::arg("rows"), nb::arg("n_threads"),
           "(rows, positions, tokens): 1 where a token may stand given those before it.")
      .def("is_legal", &is_legal, nb::arg("rows"), nb::arg("n_threads"),
           nb::arg("constants").none() = nb::none(), "1 for each row that is a legal expression.")
      .def(
          "check",
          [](const Grammar& grammar, const TokenRow& tokens, const std::vector<double>& constants) {
            const auto row = row_span(tokens);
            const auto length = static_cast<std::size_t>(length_of(row));
            const Flaw flaw = find_violation(grammar, row.first(length), constants);
            return std::tuple(flaw.position, flaw.reason);
          },
          nb::arg("tokens"), nb::arg("constants"),
          "(position, reason) of the first token that is not legal; (-1, '') for none.")
      .def("fill", &fill_rows, nb::arg("logits"), nb::arg("kept"), nb::arg("seed"), nb::arg("stream"),
           nb::arg("n_threads"), "(tokens, log_probs) of the legal left-to-right fill.")
      .def("fill_tokens", &fill_tokens, nb::arg("logits"), nb::arg("kept"), nb::arg("seed"),
           nb::arg("stream"), nb::arg("n_threads"), nb::arg("logits_of").none() = nb::none(),
           "The tokens of that fill alone, in less time.")
      .def_prop_ro("masks_units", [](const Grammar& grammar) { return grammar.unit_tables() != nullptr; })
      .def("tables", &tables, "The rules as tables, for a fill outside of the core.");

  module.def("random_block", &random_block, nb::arg("seed"), nb::arg("stream"), nb::arg("index"),
             nb::arg("position"), "The four 32-bit random numbers of one place of use.");
  module.def(
      "random_normal",
      [](std::uint64_t seed, std::uint64_t stream, std::uint32_t index, std::uint32_t position) {
        return normal(random_block(seed, stream, index, position));
      },
      nb::arg("seed"), nb::arg("stream"), nb::arg("index"), nb::arg("position"),
      "The standard normal number of one place of use.");
}

}  // namespace ddsr

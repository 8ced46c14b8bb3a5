#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "bindings/bindings.hpp"
#include "bindings/function_operator.hpp"
#include "engine/formula_operator.hpp"
#include "expression/tree.hpp"
#include "parallel.hpp"

namespace ddsr {

namespace {

constexpr std::string_view NAMES_OF_PARITY[] = {"", "odd", "even"};
constexpr std::string_view NAMES_OF_TREND[] = {"", "rising", "falling"};
constexpr std::string_view NAMES_OF_REALS[] = {"all",      "nonzero", "nonnegative",
                                               "positive", "unit",    "not_pole"};

nb::list operator_rows() {
  nb::list rows;
  for (const Operator& row : OPERATORS) {
    nb::dict entry;
    entry["name"] = row.name;
    entry["symbol"] = row.symbol;
    entry["arity"] = row.arity;
    entry["precedence"] = row.precedence;
    entry["is_commutative"] = row.is_commutative;
    entry["undoes"] = row.undoes;
    entry["parity"] = NAMES_OF_PARITY[static_cast<int>(row.parity)];
    entry["trend"] = NAMES_OF_TREND[static_cast<int>(row.trend)];
    entry["domain"] = NAMES_OF_REALS[static_cast<int>(row.domain)];
    entry["range"] = NAMES_OF_REALS[static_cast<int>(row.range)];
    entry["period"] = row.period;
    entry["degree"] = row.degree;
    entry["numpy"] = row.numpy;
    entry["sympy"] = row.sympy;
    entry["latex"] = row.latex;
    rows.append(entry);
  }
  return rows;
}

using TemplateNode = std::tuple<std::string, double, int, int, std::vector<int>>;
using TemplateHole = std::tuple<bool, std::vector<int>>;

Op operator_named(const std::string& name) {
  const auto* row = std::ranges::find(OPERATORS, name, &Operator::name);
  if (row == std::end(OPERATORS)) throw std::invalid_argument("unknown operator '" + name + "'");
  return static_cast<Op>(row - std::begin(OPERATORS));
}

Template::Node template_node(const TemplateNode& given) {
  const auto& [name, number, column, hole, columns] = given;
  if (hole >= 0) return {Template::Part::Hole, Op::Add, 1.0, hole, columns};
  if (column >= 0) return {Template::Part::Variable, Op::Add, 1.0, column, {}};
  if (name.empty()) return {Template::Part::Number, Op::Add, number, -1, {}};
  return {Template::Part::Operator, operator_named(name), 1.0, -1, {}};
}

// The name in the table, and either the nodes of a formula or two functions.
using Definition = std::tuple<std::string, std::vector<TemplateNode>, nb::object, nb::object>;

OwnOperators own_operators(const std::vector<Definition>& definitions) {
  OwnOperators own;
  for (const auto& [name, nodes, values, slopes] : definitions) {
    const Op op = operator_named(name);
    if (!is_own(op)) throw std::invalid_argument("'" + name + "' cannot be defined");
    const std::size_t place = static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::Own1);
    std::shared_ptr<const OwnOperator> made;
    if (nodes.empty()) {
      made = std::make_shared<FunctionOperator>(values, slopes);
    } else {
      std::vector<Template::Node> formula;
      for (const TemplateNode& node : nodes) formula.push_back(template_node(node));
      made = std::make_shared<FormulaOperator>(formula, row_of(op).arity, own);
    }
    if (own.size() <= place) own.resize(place + 1);
    own[place] = std::move(made);
  }
  return own;
}

void make_vocabulary(Vocabulary* self, const std::vector<std::string>& operators, bool has_one,
                     bool has_constant, int n_variables, const std::vector<TemplateNode>& nodes,
                     const std::vector<TemplateHole>& holes, const std::vector<Definition>& definitions) {
  std::shared_ptr<Template> pattern;
  if (!nodes.empty()) {
    pattern = std::make_shared<Template>();
    for (const TemplateNode& node : nodes) pattern->nodes.push_back(template_node(node));
    for (const auto& [is_constant, columns] : holes) pattern->holes.push_back({is_constant, columns});
  }
  new (self) Vocabulary(operators, has_one, has_constant, n_variables, std::move(pattern),
                        own_operators(definitions));
}

// The conversions take sequences that `find_flaw` has checked, and check again to keep memory safe.
void require_complete(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  if (const Flaw flaw = find_flaw(vocabulary, tokens))
    throw nb::value_error((flaw.reason + " (position " + std::to_string(flaw.position) + ")").c_str());
}

// The bytes of each row's canonical form.
nb::list canonical_keys(const Vocabulary& vocabulary, const TokenRows& rows, int n_threads) {
  const Expressions expressions(vocabulary, rows);
  std::vector<std::vector<TokenId>> forms(expressions.rows.size());
  {
    nb::gil_scoped_release release;
    parallel_for(forms.size(), n_threads,
                 [&](std::size_t i) { forms[i] = canonical_form(vocabulary, expressions.rows[i]).tokens; });
  }
  nb::list keys;
  for (const auto& form : forms) keys.append(nb::bytes(form.data(), form.size() * sizeof(TokenId)));
  return keys;
}

// Returns (first, number): the first row of each set of equal rows, and for every row the index of its set.
nb::tuple distinct_rows(const TokenRows& token_rows) {
  const OwnRows rows(token_rows);
  std::vector<std::int64_t> first, number(rows.n_rows);
  std::unordered_map<std::string_view, std::int64_t> seen;
  seen.reserve(rows.n_rows);
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const std::span<const TokenId> row = rows[i];
    const std::string_view key(reinterpret_cast<const char*>(row.data()), row.size_bytes());
    const auto [place, is_new] = seen.try_emplace(key, static_cast<std::int64_t>(first.size()));
    if (is_new) first.push_back(static_cast<std::int64_t>(i));
    number[i] = place->second;
  }
  const std::size_t n_first = first.size();
  return nb::make_tuple(to_numpy(std::move(first), {n_first}), to_numpy(std::move(number), {rows.n_rows}));
}

}  // namespace

OwnRows::OwnRows(const TokenRows& rows)
    : memory(rows.data(), rows.data() + rows.size()), n_rows(rows.shape(0)), length(rows.shape(1)) {}

namespace {

Flaw find_flaw_in_row(const Vocabulary& vocabulary, std::span<const TokenId> row) {
  const int length = length_of(row);
  if (length > LONGEST) return {LONGEST, "there are more than " + std::to_string(LONGEST) + " tokens"};
  for (std::size_t i = static_cast<std::size_t>(length); i < row.size(); ++i)
    if (row[i] != PAD) return {static_cast<int>(i), "a token stands behind the padding"};
  return find_flaw(vocabulary, row.first(static_cast<std::size_t>(length)));
}

}  // namespace

Expressions::Expressions(const Vocabulary& vocabulary, const TokenRows& token_rows) : own(token_rows) {
  for (std::size_t i = 0; i < own.n_rows; ++i) {
    if (const Flaw flaw = find_flaw_in_row(vocabulary, own[i]))
      throw nb::value_error(("expression " + std::to_string(i) + ", position " +
                             std::to_string(flaw.position) + ": " + flaw.reason)
                                .c_str());
    rows.push_back(own[i].first(static_cast<std::size_t>(length_of(own[i]))));
  }
}

Batch take_batch(const Vocabulary& vocabulary, const TokenRows& tokens, const Input<double, 2>& constants) {
  if (tokens.shape(0) != constants.shape(0))
    throw nb::value_error("tokens and constants must have the same number of rows");
  Batch batch{Expressions(vocabulary, tokens),
              {constants.data(), constants.data() + constants.size()},
              {},
              constants.shape(1)};
  for (std::size_t i = 0; i < batch.expressions.rows.size(); ++i) {
    const auto& row = batch.expressions.rows[i];
    const auto n = static_cast<std::size_t>(
        std::count_if(row.begin(), row.end(), [&](TokenId id) { return vocabulary.is_constant(id); }));
    if (n > batch.width)
      throw nb::value_error(
          ("expression " + std::to_string(i) + " has more constants than columns of values for them")
              .c_str());
    batch.constants.emplace_back(batch.values.data() + i * batch.width, n);
  }
  return batch;
}

void bind_trees(nb::module_& module) {
  module.attr("PAD") = PAD;
  module.attr("MASK") = MASK;
  module.attr("LONGEST") = LONGEST;
  module.def("operators", &operator_rows, "The operator table, a dict a row.");

  nb::class_<Vocabulary>(module, "Vocabulary")
      .def(
          "__init__", &make_vocabulary, nb::arg("operators"), nb::arg("has_one"), nb::arg("has_constant"),
          nb::arg("n_variables"), nb::arg("template_nodes") = std::vector<TemplateNode>{},
          nb::arg("holes") = std::vector<TemplateHole>{}, nb::arg("definitions") = std::vector<Definition>{},
          "template_nodes, in prefix order: (operator or '', number, column, hole, columns read there), with "
          "-1 for no column or hole; holes: (is_constant, columns); definitions of own operators: (name, "
          "nodes, "
          "values, slopes), with either nodes or two functions.")
      .def("__len__", &Vocabulary::size)
      .def_prop_ro("arities", [](const Vocabulary& vocabulary) {
        std::vector<int> arities;
        for (int id = 0; id < vocabulary.size(); ++id)
          arities.push_back(vocabulary.arity(static_cast<TokenId>(id)));
        return arities;
      });

  module.def(
      "find_flaw",
      [](const Vocabulary& vocabulary, const TokenRow& tokens) {
        Flaw flaw = find_flaw(vocabulary, row_span(tokens));
        return std::tuple(flaw.position, flaw.reason);
      },
      nb::arg("vocabulary"), nb::arg("tokens"), "(position, reason) of the first flaw; (-1, '') for none.");
  module.def(
      "prefix_from_breadth_first",
      [](const Vocabulary& vocabulary, const TokenRow& tokens) {
        require_complete(vocabulary, row_span(tokens));
        return prefix_from_breadth_first(vocabulary, row_span(tokens));
      },
      nb::arg("vocabulary"), nb::arg("tokens"), "order[k]: the breadth-first index of prefix token k.");
  module.def(
      "breadth_first_from_prefix",
      [](const Vocabulary& vocabulary, const TokenRow& tokens) {
        require_complete(vocabulary, row_span(tokens));
        return breadth_first_from_prefix(vocabulary, row_span(tokens));
      },
      nb::arg("vocabulary"), nb::arg("tokens"), "order[k]: the prefix index of breadth-first token k.");
  module.def(
      "canonical_form",
      [](const Vocabulary& vocabulary, const TokenRow& tokens) {
        require_complete(vocabulary, row_span(tokens));
        Canonical canonical = canonical_form(vocabulary, row_span(tokens));
        return std::tuple(canonical.tokens, canonical.order);
      },
      nb::arg("vocabulary"), nb::arg("tokens"), "(tokens, order) of the canonical form, breadth-first.");
  module.def("distinct_rows", &distinct_rows, nb::arg("rows"),
             "(first, number): the first of each set of equal rows, and which of these every row equals.");
  module.def("canonical_keys", &canonical_keys, nb::arg("vocabulary"), nb::arg("rows"), nb::arg("n_threads"),
             "For each padded row the bytes of its canonical form.");
}

}  // namespace ddsr

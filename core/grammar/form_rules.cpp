#include "grammar/form_rules.hpp"

#include <sstream>

#include "grammar/grammar.hpp"

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string range_text(const Interval& range) {
  if (!std::isfinite(range.high)) return "at least " + number_text(range.low);
  if (!std::isfinite(range.low)) return "at most " + number_text(range.high);
  return "between " + number_text(range.low) + " and " + number_text(range.high);
}

// Facts about the subtree at each token of a breadth-first sequence.
struct Subtrees {
  std::vector<int> first;          // the first child
  std::vector<int> size;           // number of tokens
  std::vector<bool> has_variable;  // whether it depends on a variable
  std::vector<double> value;       // of a part without variables, as far as sums and products give it

  Subtrees(const Vocabulary& vocabulary, std::span<const TokenId> tokens, std::span<const double> constants)
      : first(first_children(vocabulary, tokens)),
        size(tokens.size(), 1),
        has_variable(tokens.size()),
        value(tokens.size(), std::numeric_limits<double>::quiet_NaN()) {
    std::size_t n_constants = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = vocabulary[tokens[i]];
      has_variable[i] = token.kind == Kind::Variable;
      if (token.kind == Kind::One) value[i] = 1.0;
      if (token.kind == Kind::Constant && n_constants < constants.size()) value[i] = constants[n_constants++];
    }
    for (std::size_t i = tokens.size(); i-- > 0;) join_children(vocabulary, tokens, i);
  }

 private:
  void join_children(const Vocabulary& vocabulary, std::span<const TokenId> tokens, std::size_t i) {
    const Token& token = vocabulary[tokens[i]];
    for (int child = first[i]; child < first[i] + token.arity; ++child) {
      size[i] += size[at(child)];
      has_variable[i] = has_variable[i] || has_variable[at(child)];
    }
    if (token.kind != Kind::Operator || has_variable[i]) return;
    const double a = value[at(first[i])];
    if (token.op == Op::Neg) value[i] = -a;
    if (token.arity != 2) return;
    const double b = value[at(first[i] + 1)];
    if (token.op == Op::Add) value[i] = a + b;
    if (token.op == Op::Sub) value[i] = a - b;
    if (token.op == Op::Mul) value[i] = a * b;
    if (token.op == Op::Div) value[i] = a / b;
  }
};

std::string bad_exponent(const ConstantLimits& limits, const Subtrees& parts, int exponent) {
  if (parts.has_variable[at(exponent)]) return "an exponent must be constant, but this one has a variable";
  const double value = parts.value[at(exponent)];
  if (std::isnan(value) || limits.holds(value, true)) return "";
  const std::string text = "the exponent " + number_text(value) + " is not ";
  return text + (limits.exponents.holds(value) ? "whole" : range_text(limits.exponents));
}

// Whether the operand of an exp has a logarithm as a term or factor: exp(c * log(x)) is x^c.
bool is_power(const Vocabulary& vocabulary, std::span<const TokenId> tokens, const Subtrees& parts,
              int operand) {
  const Token& token = vocabulary[tokens[at(operand)]];
  if (token.kind != Kind::Operator) return false;
  if (token.op == Op::Log) return true;
  const bool is_arithmetic = token.op == Op::Add || token.op == Op::Sub || token.op == Op::Mul ||
                             token.op == Op::Div || token.op == Op::Neg;
  const int first = parts.first[at(operand)];
  return is_arithmetic && (is_power(vocabulary, tokens, parts, first) ||
                           (token.arity == 2 && is_power(vocabulary, tokens, parts, first + 1)));
}

std::string too_large(const FormRules& rules, const Subtrees& parts, TokenId id, std::size_t i) {
  for (const SizeRule& rule : rules.sizes)
    if (rule.op == id && parts.size[i] - 1 > rule.at_most)
      return std::to_string(parts.size[i] - 1) + " tokens stand below " + token_text(id) +
             ", where at most " + std::to_string(rule.at_most) + " may";
  return "";
}

int too_deep(const FormRules& rules, const Vocabulary& vocabulary, std::span<const TokenId> tokens,
             const Subtrees& parts) {
  std::vector<int> depth(tokens.size(), 1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (depth[i] > rules.max_depth) return static_cast<int>(i);
    for (int child = 0; child < vocabulary.arity(tokens[i]); ++child)
      depth[at(parts.first[i] + child)] = depth[i] + 1;
  }
  return -1;
}

// The term without variables of a sum at the root; -1 if there is none.
int constant_term(const Vocabulary& vocabulary, std::span<const TokenId> tokens, const Subtrees& parts) {
  std::vector<int> terms{0};
  while (!terms.empty()) {
    const int term = terms.back();
    terms.pop_back();
    if (!parts.has_variable[at(term)]) return term;
    const Token& token = vocabulary[tokens[at(term)]];
    const bool is_sum =
        token.kind == Kind::Operator && (token.op == Op::Add || token.op == Op::Sub || token.op == Op::Neg);
    for (int child = 0; is_sum && child < token.arity; ++child)
      terms.push_back(parts.first[at(term)] + child);
  }
  return -1;
}

}  // namespace

Flaw find_form_flaw(const Vocabulary& vocabulary, const FormRules& rules, std::span<const TokenId> tokens,
                    std::span<const double> constants) {
  const Subtrees parts(vocabulary, tokens, constants);
  std::vector<bool> is_exponent(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = vocabulary[tokens[i]];
    const int position = static_cast<int>(i);
    if (token.kind == Kind::Operator && token.op == Op::Pow) {
      const int exponent = parts.first[i] + 1;
      is_exponent[at(exponent)] = true;
      if (rules.has_constant_exponents)
        if (std::string text = bad_exponent(rules.constants, parts, exponent); !text.empty())
          return {exponent, text};
    }
    if (rules.has_constant_exponents && token.kind == Kind::Operator && token.op == Op::Exp &&
        is_power(vocabulary, tokens, parts, parts.first[i]))
      return {position, "it is a power in disguise: below it stands a term or factor that is a logarithm"};
    if (std::string text = too_large(rules, parts, tokens[i], i); !text.empty()) return {position, text};
    const double value = parts.value[i];
    if (token.kind == Kind::Constant && !is_exponent[i] && !std::isnan(value) &&
        !rules.constants.holds(value, false))
      return {position,
              "the constant " + number_text(value) + " is not " + range_text(rules.constants.range)};
  }
  const int deep = rules.max_depth > 0 ? too_deep(rules, vocabulary, tokens, parts) : -1;
  if (deep >= 0)
    return {deep, "it stands at a depth of more than " + std::to_string(rules.max_depth) + " tokens"};
  const int term = rules.has_no_offset ? constant_term(vocabulary, tokens, parts) : -1;
  if (term >= 0) return {term, "a constant is a term of the equation, which may have no offset"};
  return {};
}

void limit_constants(const Vocabulary& vocabulary, const ConstantLimits& limits, Formula& formula) {
  if (!limits.is_limited()) return;
  std::vector<bool> is_exponent(formula.tokens.size());
  std::size_t n_constants = 0;
  for (std::size_t i = 0; i < formula.tokens.size(); ++i) {
    const Token& token = vocabulary[formula.tokens[i]];
    if (token.kind == Kind::Operator && token.op == Op::Pow)
      is_exponent[at(subtree_end(vocabulary, formula.tokens, static_cast<int>(i) + 1))] = true;
    if (token.kind != Kind::Constant) continue;
    double& constant = formula.constants[n_constants++];
    constant = limits.nearest(constant, is_exponent[i]);
  }
}

}  // namespace ddsr

#include "grammar/violation.hpp"

#include <algorithm>

#include "grammar/partial_tree.hpp"

namespace ddsr {

namespace {

bool contains(const std::vector<TokenId>& tokens, TokenId id) {
  return std::find(tokens.begin(), tokens.end(), id) != tokens.end();
}

// Why a token does not fit into the template, if that is so.
std::string broken_template(const Grammar& grammar, const PartialTree& tree, TokenId id) {
  if (grammar.vocabulary.pattern() == nullptr) return "";
  if (tree.length() == 0)
    return grammar.vocabulary.is_template(id) ? "" : token_text(id) + " stands where the template should";
  if (grammar.vocabulary.is_template(id)) return "the template may only stand at the root";
  const Slot& slot = tree.slot(tree.length());
  if (slot.place == Slot::Place::Hole && !has(grammar.contexts.allowed(slot.context), id))
    return token_text(id) + " may not fill hole " + std::to_string(tree.length()) + " of the template";
  return "";
}

std::string broken_nesting_rule(const Grammar& grammar, const Slot& slot, TokenId id) {
  const std::vector<int>& counts = grammar.contexts.counts(slot.context);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const NestingRule& rule = grammar.rules.nestings[r];
    if (counts[r] == rule.at_most && contains(rule.inner, id))
      return token_text(id) + " is nested too deeply: on a path below " + list_tokens(rule.outer) +
             " at most " + std::to_string(rule.at_most) + " of " + list_tokens(rule.inner) + " may stand";
  }
  if (grammar.vocabulary[id].kind == Kind::Variable)
    return token_text(id) + " is not an input of this hole of the template";
  return token_text(id) + " would have no legal operand: the nesting rules allow no leaf below it here";
}

std::string broken_rule_on_constants(const Slot& slot, TokenId id) {
  if (slot.parent == PAD) return token_text(id) + " alone is an expression without a variable";
  if (slot.place == Slot::Place::Single)
    return token_text(slot.parent) + " has only the constant " + token_text(id) + " to work on";
  return token_text(slot.parent) + " has only constants to work on, the second being " + token_text(id);
}

std::string no_completion(const Grammar& grammar, const PartialTree& tree, TokenId id) {
  std::string text = "with " + token_text(id) + " here nothing of at most " +
                     std::to_string(grammar.rules.max_length) +
                     " tokens completes the expression under the rules on uses and required variables";
  std::vector<TokenId> missing;
  for (TokenId variable : grammar.rules.required)
    if (variable != id && tree.count(variable) == 0) missing.push_back(variable);
  return missing.empty() ? text : text + "; still to appear: " + list_tokens(missing);
}

// Why the illegal token `id` may not fill the next slot.
std::string reason(const Grammar& grammar, const PartialTree& tree, TokenId id) {
  const Slot& slot = tree.slot(tree.length());
  const int arity = grammar.vocabulary.arity(id);
  if (std::string text = broken_template(grammar, tree, id); !text.empty()) return text;
  if (arity > tree.room())
    return token_text(id) + " makes the expression at least " +
           std::to_string(tree.length() + tree.n_open() + arity) + " tokens long; at most " +
           std::to_string(grammar.rules.max_length) + " are allowed";
  if (!has(grammar.directly_below(slot.parent), id))
    return token_text(id) + " directly below " + token_text(slot.parent) + " undoes it";
  if (!has(grammar.contexts.allowed(slot.context), id)) return broken_nesting_rule(grammar, slot, id);
  const bool is_variable_only = slot.place == Slot::Place::Single || tree.follows_constant(tree.length());
  if (is_variable_only && has(grammar.constant_like(), id)) return broken_rule_on_constants(slot, id);
  for (int r : grammar.uses_of(id))
    if (tree.uses_left(r) == 0) {
      const UseRule& rule = grammar.rules.uses[static_cast<std::size_t>(r)];
      return "one " + token_text(id) + " too many: of " + list_tokens(rule.tokens) + " at most " +
             std::to_string(rule.at_most) + " may be used";
    }
  return no_completion(grammar, tree, id);
}

}  // namespace

Flaw find_violation_in_prefix(const Grammar& grammar, std::span<const TokenId> tokens) {
  PartialTree tree(grammar);
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const TokenId id = tokens[static_cast<std::size_t>(i)];
    if (!grammar.vocabulary.holds(id))
      return {i, "token " + std::to_string(id) + " is not in the vocabulary of " +
                     std::to_string(grammar.vocabulary.size())};
    if (tree.is_complete()) return {i, "tokens follow a complete expression"};
    if (!tree.is_legal(id)) return {i, reason(grammar, tree, id)};
    tree.place(id);
  }
  return {};
}

Flaw find_violation(const Grammar& grammar, std::span<const TokenId> tokens,
                    std::span<const double> constants) {
  if (Flaw flaw = find_violation_in_prefix(grammar, tokens)) return flaw;
  if (Flaw flaw = find_flaw(grammar.vocabulary, tokens)) return flaw;
  if (!grammar.rules.form.is_empty())
    if (Flaw flaw = find_form_flaw(grammar.vocabulary, grammar.rules.form, tokens, constants)) return flaw;
  if (!grammar.rules.units) return {};
  return find_unit_flaw(grammar.vocabulary, *grammar.rules.units, tokens, constants);
}

}  // namespace ddsr

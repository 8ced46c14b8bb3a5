#include "grammar/grammar.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "grammar/partial_tree.hpp"

namespace ddsr {

std::string token_text(TokenId id) { return std::string("#").append(std::to_string(id)); }

std::string list_tokens(const std::vector<TokenId>& tokens) {
  constexpr std::size_t SHOWN = 6;
  std::string text;
  const std::size_t n = std::min(tokens.size(), SHOWN);
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0) text += k + 1 == tokens.size() ? " and " : ", ";
    text += token_text(tokens[k]);
  }
  if (tokens.size() > n) text += " and " + std::to_string(tokens.size() - n) + " more";
  return text;
}

namespace {

bool contains(const std::vector<TokenId>& tokens, TokenId id) {
  return std::find(tokens.begin(), tokens.end(), id) != tokens.end();
}

bool is_subset(const std::vector<TokenId>& part, const std::vector<TokenId>& whole) {
  return std::all_of(part.begin(), part.end(), [&](TokenId id) { return contains(whole, id); });
}

void check_tokens(const Vocabulary& vocabulary, std::vector<TokenId>& tokens, const std::string& rule) {
  if (tokens.empty()) throw std::invalid_argument(rule + " names no token");
  for (TokenId id : tokens)
    if (!vocabulary.holds(id))
      throw std::invalid_argument(rule + ": token " + std::to_string(id) + " is not in the vocabulary of " +
                                  std::to_string(vocabulary.size()));
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

void check_count(int at_most, const std::string& rule) {
  if (at_most < 0)
    throw std::invalid_argument(rule + ": a limit of " + std::to_string(at_most) + " is below 0");
}

// A rule is implied by one on more tokens without a higher limit; of two equal ones the first stays.
bool is_implied(const std::vector<UseRule>& uses, std::size_t rule) {
  for (std::size_t other = 0; other < uses.size(); ++other) {
    if (other == rule || uses[other].at_most > uses[rule].at_most) continue;
    if (!is_subset(uses[rule].tokens, uses[other].tokens)) continue;
    const bool is_same =
        uses[other].at_most == uses[rule].at_most && uses[other].tokens.size() == uses[rule].tokens.size();
    if (!is_same || other < rule) return true;
  }
  return false;
}

std::vector<UseRule> limiting_uses(const std::vector<UseRule>& uses, int max_length) {
  std::vector<UseRule> limiting;
  for (std::size_t r = 0; r < uses.size(); ++r)
    if (uses[r].at_most < max_length && !is_implied(uses, r)) limiting.push_back(uses[r]);
  return limiting;
}

// Checks the rules one by one and drops those that have no effect.
Rules checked(const Vocabulary& vocabulary, Rules rules) {
  if (rules.max_length < 1 || rules.max_length > Grammar::MAX_LENGTH)
    throw std::invalid_argument("max_length is " + std::to_string(rules.max_length) + ", not between 1 and " +
                                std::to_string(Grammar::MAX_LENGTH));
  check_count(rules.max_constants, "max_constants");
  if (const Template* pattern = vocabulary.pattern()) {
    const auto n_holes = static_cast<int>(pattern->holes.size());
    const auto n_constants = static_cast<int>(
        std::ranges::count_if(pattern->holes, [](const Template::Hole& hole) { return hole.is_constant; }));
    if (rules.max_length < 1 + n_holes)
      throw std::invalid_argument("the template needs at least " + std::to_string(1 + n_holes) + " tokens");
    if (rules.max_constants < n_constants)
      throw std::invalid_argument("the template has " + std::to_string(n_constants) +
                                  " constants, more than max_constants");
  }
  if (vocabulary.n_variables() == 0)
    throw std::invalid_argument("the vocabulary has no variable, and every expression needs one");
  for (std::size_t r = 0; r < rules.nestings.size(); ++r) {
    const std::string name = "nesting rule " + std::to_string(r + 1);
    NestingRule& rule = rules.nestings[r];
    check_tokens(vocabulary, rule.outer, name);
    check_tokens(vocabulary, rule.inner, name);
    check_count(rule.at_most, name);
    for (TokenId id : rule.outer)
      if (vocabulary.arity(id) == 0)
        throw std::invalid_argument(name + ": nothing stands below " + token_text(id) +
                                    ", which is not an operator");
  }
  std::erase_if(rules.nestings, [&](const NestingRule& rule) { return rule.at_most >= rules.max_length; });
  for (std::size_t r = 0; r < rules.uses.size(); ++r) {
    const std::string name = "use rule " + std::to_string(r + 1);
    check_tokens(vocabulary, rules.uses[r].tokens, name);
    check_count(rules.uses[r].at_most, name);
  }
  if (vocabulary.constant() >= 0) rules.uses.push_back({{vocabulary.constant()}, rules.max_constants});
  rules.uses = limiting_uses(rules.uses, rules.max_length);
  if (!rules.required.empty()) check_tokens(vocabulary, rules.required, "what must appear");
  for (TokenId id : rules.required)
    if (vocabulary[id].kind != Kind::Variable)
      throw std::invalid_argument(token_text(id) + " must appear, but only a variable can be required");
  return rules;
}

bool undoes(const Vocabulary& vocabulary, TokenId parent, TokenId child) {
  if (vocabulary.arity(child) == 0) return false;
  return row_of(vocabulary[parent].op).undoes == row_of(vocabulary[child].op).name;
}

bool is_free_binary(const Vocabulary& vocabulary, const Rules& rules, TokenId op) {
  return vocabulary.arity(op) == 2 &&
         std::none_of(
             rules.nestings.begin(), rules.nestings.end(),
             [&](const NestingRule& rule) { return contains(rule.outer, op) || contains(rule.inner, op); }) &&
         std::none_of(rules.uses.begin(), rules.uses.end(),
                      [&](const UseRule& rule) { return contains(rule.tokens, op); });
}

}  // namespace

Grammar::Grammar(const Vocabulary& vocabulary_, Rules rules_)
    : vocabulary(vocabulary_),
      rules(checked(vocabulary_, std::move(rules_))),
      contexts(vocabulary, rules.nestings),
      directly_below_(vocabulary.size(), vocabulary.n_operators() + 1),
      of_arity_at_most_(vocabulary.size(), 3),
      kinds_(vocabulary.size(), N_KINDS),
      use_sets_(vocabulary.size(), static_cast<int>(rules.uses.size())),
      uses_of_(static_cast<std::size_t>(vocabulary.size())) {
  fill_sets();
  prepare_lookahead();
  refuse_undecidable();
  prepare_units();
  PartialTree empty(*this);
  const Word* legal = empty.legal();
  if (std::all_of(legal, legal + n_words(), [](Word word) { return word == 0; }))
    throw std::invalid_argument("no expression of at most " + std::to_string(rules.max_length) +
                                " tokens satisfies all rules");
}

void Grammar::fill_sets() {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    for (TokenId parent = -1; parent < vocabulary.n_operators(); ++parent)
      if (parent < 0 || !undoes(vocabulary, parent, id)) add(directly_below_[parent + 1], id);
    // the template is always the root, with room for its holes
    const int least = vocabulary.is_template(id) ? 0 : vocabulary.arity(id);
    for (int arity = least; arity <= 2; ++arity) add(of_arity_at_most_[arity], id);
    if (vocabulary.arity(id) == 0) add(kinds_[vocabulary.is_free_leaf(id) ? FreeLeaves : ConstantLike], id);
  }
  for (int r = 0; r < static_cast<int>(rules.uses.size()); ++r)
    for (TokenId id : rules.uses[static_cast<std::size_t>(r)].tokens) {
      add(use_sets_[r], id);
      uses_of_[static_cast<std::size_t>(id)].push_back(r);
    }
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.arity(id) == 0 && uses_of(id).empty()) add(kinds_[UnlimitedLeaves], id);
  for (TokenId id : rules.required) add(kinds_[Required], id);
}

void Grammar::prepare_lookahead() {
  needs_lookahead_ = !rules.required.empty();
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    needs_lookahead_ = needs_lookahead_ || (vocabulary.is_free_leaf(id) && !uses_of(id).empty());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    // variables that are not required differ only by the rule that limits them
    const bool is_alike = vocabulary[id].kind == Kind::Variable && !is_required(id);
    const int rule = uses_of(id).empty() ? 0 : uses_of(id)[0] + 1;
    lookahead_kinds_.push_back(is_alike ? vocabulary.size() + rule : id);
  }
  for (int context = 0; context < contexts.size(); ++context) {
    bool has_unlimited = false, takes_all_required = true;
    for (int w = 0; w < n_words(); ++w) {
      const Word unlimited = contexts.allowed(context)[w] & free_leaves()[w] & unlimited_leaves()[w];
      has_unlimited = has_unlimited || unlimited != 0;
      takes_all_required = takes_all_required && (kinds_[Required][w] & ~unlimited) == 0;
    }
    is_scarce_.push_back(!has_unlimited);
    takes_all_required_.push_back(takes_all_required);
    has_scarce_contexts_ = has_scarce_contexts_ || !has_unlimited;
  }
}

void Grammar::prepare_units() {
  const bool is_plain = std::all_of(rules.uses.begin(), rules.uses.end(), [&](const UseRule& rule) {
    return std::all_of(rule.tokens.begin(), rule.tokens.end(),
                       [&](TokenId id) { return vocabulary.is_constant_like(id); });
  });
  if (!rules.units || rules.units->most_constants > 0 || needs_lookahead_ || !is_plain) return;
  if (vocabulary.pattern() != nullptr) return;
  auto tables = std::make_shared<const UnitTables>(vocabulary, *rules.units, contexts, directly_below_,
                                                   rules.max_length);
  const UnitTables::Costs& root = tables->slot(NestingContexts::ROOT, PAD);
  if (root[static_cast<std::size_t>(tables->target())] <= rules.max_length) unit_tables_ = std::move(tables);
}

// The exact test of completion.hpp needs leaves that are each in at most one rule on uses and, for several
// required variables, an operator that can add a leaf anywhere.
void Grammar::refuse_undecidable() const {
  if (!needs_lookahead_) return;
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.arity(id) == 0 && uses_of(id).size() > 1)
      throw std::invalid_argument(token_text(id) +
                                  " is limited by more than one rule on uses; where rules limit or require "
                                  "variables, put each leaf into one such rule");
  if (rules.required.size() < 2) return;
  for (TokenId op = 0; op < vocabulary.n_operators(); ++op)
    if (is_free_binary(vocabulary, rules, op)) return;
  throw std::invalid_argument(list_tokens(rules.required) +
                              " must all appear, which needs a binary operator that no other rule mentions, "
                              "and there is none");
}

}  // namespace ddsr

// Which expressions are legal: the rules of a grammar, compiled into tables.
//
// Every grammar has these rules:
//   - length: an expression has at most `max_length` tokens;
//   - no inverse pairs: an operator is never directly below the one that it undoes, as in exp(log(x));
//   - no constant-only operands: a constant-like leaf (a constant, or the literal 1 if there are constants)
//     is neither the whole expression nor the operand of a unary operator, and at most one of two operands.
//     So every subtree that is not a leaf contains a free leaf: a variable, or the literal 1 if there are no
//     constants, in which case 1 + 1 is the only way to write 2.
// Users add nesting rules (grammar/nesting.hpp), rules on how often tokens are used (the number of constants
// is one of them), variables that must appear, and units (grammar/units.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expression/vocabulary.hpp"
#include "grammar/form_rules.hpp"
#include "grammar/nesting.hpp"
#include "grammar/token_set.hpp"
#include "grammar/unit_tables.hpp"

namespace ddsr {

// In an expression, the tokens of a set are used at most `at_most` times in all.
struct UseRule {
  std::vector<TokenId> tokens;
  int at_most;
};

struct Rules {
  int max_length;
  int max_constants;
  std::vector<NestingRule> nestings;
  std::vector<UseRule> uses;
  std::vector<TokenId> required;  // variables that must appear
  std::optional<Units> units = {};
  FormRules form = {};  // a fill does not know them
};

class Grammar {
 public:
  static constexpr int MAX_LENGTH = 4096;

  // Throws std::invalid_argument, with tokens written as #id, for rules that are invalid, that no expression
  // satisfies, or for which legality cannot be decided exactly (completion.hpp).
  Grammar(const Vocabulary& vocabulary, Rules rules);

  const Vocabulary vocabulary;
  const Rules rules;  // without those that have no effect; the limit on constants is one of `uses`
  const NestingContexts contexts;

  // Sets from which the legal tokens of a slot are computed. The root is directly below PAD.
  const Word* directly_below(TokenId parent) const { return directly_below_[parent + 1]; }
  const Word* of_arity_at_most(int arity) const { return of_arity_at_most_[arity]; }
  const Word* constant_like() const { return kinds_[ConstantLike]; }
  const Word* free_leaves() const { return kinds_[FreeLeaves]; }
  // Leaves that no rule on uses limits.
  const Word* unlimited_leaves() const { return kinds_[UnlimitedLeaves]; }
  const Word* tokens_of_use(int rule) const { return use_sets_[rule]; }
  int n_words() const { return kinds_.n_words(); }
  // What a fill needs to know of units. Null without units, and where they do not decide which tokens are
  // legal: if constants may have units, or if rules limit or require other tokens.
  const UnitTables* unit_tables() const { return unit_tables_.get(); }

  const std::vector<int>& uses_of(TokenId id) const { return uses_of_[static_cast<std::size_t>(id)]; }

  // Whether the rules limit free leaves or require variables. Then a token may make completion impossible,
  // and each candidate has to be tried.
  bool needs_lookahead() const { return needs_lookahead_; }
  // Leaves of one kind give the same result when tried in a slot that allows them.
  int lookahead_kind(TokenId id) const { return lookahead_kinds_[static_cast<std::size_t>(id)]; }
  // Whether the only free leaves that a context allows are limited by rules on uses.
  bool is_scarce(int context) const { return is_scarce_[static_cast<std::size_t>(context)]; }
  bool has_scarce_contexts() const { return has_scarce_contexts_; }
  // Whether a context allows every required variable, and none of them is limited.
  bool takes_all_required(int context) const {
    return takes_all_required_[static_cast<std::size_t>(context)];
  }
  bool is_required(TokenId id) const { return has(kinds_[Required], id); }

 private:
  enum Kinds { ConstantLike, FreeLeaves, UnlimitedLeaves, Required, N_KINDS };

  void fill_sets();
  void prepare_lookahead();
  void refuse_undecidable() const;
  void prepare_units();

  TokenSets directly_below_, of_arity_at_most_, kinds_, use_sets_;
  std::vector<std::vector<int>> uses_of_;
  bool needs_lookahead_ = false;
  std::vector<int> lookahead_kinds_;
  std::vector<bool> is_scarce_, takes_all_required_;
  bool has_scarce_contexts_ = false;
  std::shared_ptr<const UnitTables> unit_tables_;
};

// "#3", and "#3, #4 and #7": tokens in a message. The caller replaces them by names.
std::string token_text(TokenId id);
std::string list_tokens(const std::vector<TokenId>& tokens);

}  // namespace ddsr

// Rules on what may occur below what, at any depth, as a finite automaton over the paths from the root.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grammar/token_set.hpp"

namespace ddsr {

// On any path below an outer token there are at most `at_most` inner tokens.
struct NestingRule {
  std::vector<TokenId> outer, inner;
  int at_most;
};

// A context is what a slot inherits from the tokens above it: for each rule, the number of inner tokens below
// the topmost outer one, or -1 without an outer one. Lower outer tokens have fewer inner ones below them, so
// the topmost one decides. Contexts only become stricter on the way down: a token allowed in a slot is also
// allowed in the slot above it.
//
// With a template, a context also knows the hole to which the slot belongs: only the template may be the
// root, and below it only the inputs of the hole occur.
class NestingContexts {
 public:
  // Throws std::invalid_argument if the rules combine to more contexts than fit in memory.
  NestingContexts(const Vocabulary& vocabulary, const std::vector<NestingRule>& rules);

  // Tokens that a slot may take: no rule forbids them, and below operators at least one free leaf is still
  // allowed.
  const Word* allowed(int context) const { return allowed_[context]; }
  const std::vector<int>& counts(int context) const { return counts_[static_cast<std::size_t>(context)]; }

  int size() const { return static_cast<int>(counts_.size()); }

  // The context below an operator that is allowed; below any other token it is ROOT, which is not used.
  std::uint16_t below(int context, TokenId id) const {
    return below_[static_cast<std::size_t>(context * (n_operators_ + 1) + std::min<int>(id, n_operators_))];
  }

  // The context of the operand of the template that fills a hole.
  std::uint16_t in_hole(int hole) const { return in_hole_[static_cast<std::size_t>(hole)]; }

  static constexpr std::uint16_t ROOT = 0;

 private:
  int n_operators_;
  std::vector<std::uint16_t> in_hole_;
  TokenSets allowed_;
  std::vector<std::uint16_t> below_;  // for each context: below each operator, then one for all leaves
  std::vector<std::vector<int>> counts_;
};

}  // namespace ddsr

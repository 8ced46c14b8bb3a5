// Rules on what may stand below what, at any depth, as a finite automaton over the paths from the root.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grammar/token_set.hpp"

namespace ddsr {

// On any path below an outer token stand at most `at_most` inner tokens.
struct NestingRule {
  std::vector<TokenId> outer, inner;
  int at_most;
};

// A context is what a slot inherits from the tokens above it: for each rule, how many inner tokens stand
// below the topmost outer one, or -1 where there is none above. Lower outer tokens have fewer inner ones
// below them, so the topmost one decides. Contexts only become stricter on the way down: what is allowed
// in a slot is allowed in the slot above it, too.
class NestingContexts {
 public:
  // Throws std::invalid_argument where the rules combine to more contexts than fit in memory.
  NestingContexts(const Vocabulary& vocabulary, const std::vector<NestingRule>& rules);

  // Tokens that may stand in a slot: those that no rule forbids and, of the operators, those below which at
  // least one free leaf is still allowed.
  const Word* allowed(int context) const { return allowed_[context]; }
  const std::vector<int>& counts(int context) const { return counts_[static_cast<std::size_t>(context)]; }

  int size() const { return static_cast<int>(counts_.size()); }

  // The context below an operator that is allowed; below any other token it is ROOT and means nothing.
  std::uint16_t below(int context, TokenId id) const {
    return below_[static_cast<std::size_t>(context * (n_operators_ + 1) + std::min<int>(id, n_operators_))];
  }

  static constexpr std::uint16_t ROOT = 0;

 private:
  int n_operators_;
  TokenSets allowed_;
  std::vector<std::uint16_t> below_;  // for each context: of every operator, then one for all leaves
  std::vector<std::vector<int>> counts_;
};

}  // namespace ddsr

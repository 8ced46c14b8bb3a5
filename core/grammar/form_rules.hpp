// Rules on the form of an equation that a fill from left to right does not know: they are checked afterwards.
#pragma once

#include <span>
#include <vector>

#include "expression/constant_limits.hpp"
#include "expression/formula.hpp"
#include "expression/tree.hpp"

namespace ddsr {

// Everything below an operator has at most this many tokens.
struct SizeRule {
  TokenId op;
  int at_most;
};

struct FormRules {
  bool has_constant_exponents = false;
  bool has_no_offset = false;  // no constant is a term of the equation
  int max_depth = 0;           // maximum number of tokens on a path from the root; 0: no limit
  ConstantLimits constants;
  std::vector<SizeRule> sizes;

  bool is_empty() const {
    return !has_constant_exponents && !has_no_offset && max_depth == 0 && !constants.is_limited() &&
           sizes.empty();
  }
};

// Where and why a complete expression breaks a rule. `constants` has the values of its constants; if it is
// empty, they are unknown and may have any.
Flaw find_form_flaw(const Vocabulary& vocabulary, const FormRules& rules,
                    std::span<const TokenId> breadth_first, std::span<const double> constants);

// Moves the constants of a formula to the nearest values that are allowed.
void limit_constants(const Vocabulary& vocabulary, const ConstantLimits& limits, Formula& formula);

}  // namespace ddsr

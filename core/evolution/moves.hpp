// Moves: each makes a child of one or two formulas. A child is a complete tree but may break the grammar. It
// equals the parent if the move does not apply. Both cases are left to the caller.
#pragma once

#include <array>
#include <string_view>

#include "evolution/drawing.hpp"
#include "evolution/subtree_matcher.hpp"

namespace ddsr {

struct MoveContext {
  const Vocabulary& vocabulary;
  const Drawing& drawing;
  SubtreeMatcher* matcher;  // null: there are no data to match
};

// Replaces an operator by another of the same arity, or a leaf by another leaf.
Formula point(const Formula& parent, RandomSource& random, const MoveContext& context);
// Replaces a leaf by a small random tree.
Formula grow(const Formula& parent, RandomSource& random, const MoveContext& context);
// Inserts an operator above a subtree. A binary one gets a random leaf or small tree as its other operand.
Formula wrap_binary(const Formula& parent, RandomSource& random, const MoveContext& context);
Formula wrap_unary(const Formula& parent, RandomSource& random, const MoveContext& context);
// Replaces an operator by something below it, at any depth.
Formula hoist(const Formula& parent, RandomSource& random, const MoveContext& context);
// Turns a / b into b / a, for operators that do not commute.
Formula swap_operands(const Formula& parent, RandomSource& random, const MoveContext& context);
// Changes the values of the constants.
Formula perturb_constants(const Formula& parent, RandomSource& random, const MoveContext& context);
// Looks up what a place needs in the dictionary; see subtree_matcher.hpp.
Formula match(const Formula& parent, RandomSource& random, const MoveContext& context);

// Replaces a subtree of the parent by a subtree of the donor.
Formula cross_over(const Formula& parent, const Formula& donor, RandomSource& random,
                   const MoveContext& context);

struct Move {
  std::string_view name;
  Formula (*make)(const Formula& parent, RandomSource& random, const MoveContext& context);
};

inline constexpr std::array MOVES{
    Move{"point", &point},
    Move{"grow", &grow},
    Move{"wrap_binary", &wrap_binary},
    Move{"wrap_unary", &wrap_unary},
    Move{"hoist", &hoist},
    Move{"swap_operands", &swap_operands},
    Move{"perturb_constants", &perturb_constants},
    Move{"match", &match},
};

}  // namespace ddsr

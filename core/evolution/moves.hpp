// Moves: each makes a child of one formula, or of two. A child is a complete tree, but may break the grammar,
// and is the parent itself where the move has nothing to work on; whoever calls decides what then.
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

// another operator of the same arity, or another leaf
Formula point(const Formula& parent, RandomSource& random, const MoveContext& context);
// a small random tree for a leaf
Formula grow(const Formula& parent, RandomSource& random, const MoveContext& context);
// an operator above a subtree; a binary one takes a random leaf or small tree on its other side
Formula wrap_binary(const Formula& parent, RandomSource& random, const MoveContext& context);
Formula wrap_unary(const Formula& parent, RandomSource& random, const MoveContext& context);
// something that stands below an operator, at any depth, for the operator
Formula hoist(const Formula& parent, RandomSource& random, const MoveContext& context);
// a / b becomes b / a: of operators for which that makes a difference
Formula swap_operands(const Formula& parent, RandomSource& random, const MoveContext& context);
// other values of the constants
Formula perturb_constants(const Formula& parent, RandomSource& random, const MoveContext& context);
// what the dictionary has for a place, see subtree_matcher.hpp
Formula match(const Formula& parent, RandomSource& random, const MoveContext& context);

// A subtree of the donor for one of the parent.
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

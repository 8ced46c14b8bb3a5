// Whether a partly filled expression can be completed within its length under all rules: the argument why
// the legal left-to-right fill has no dead ends and still reaches every legal expression.
//
// 1. Leaves suffice. A slot's subtree in some completion either is a leaf or holds a free leaf (a variable,
//    or the literal 1 where there are no constants), since no operator works on constants alone. That leaf
//    is allowed in the slot itself: nesting contexts only become stricter on the way down. Putting it there
//    in place of the subtree breaks no rule: the expression gets shorter, tokens are used less often, and
//    leaves undo nothing. So, required variables aside, there is a completion exactly if every open slot can
//    be closed with a leaf. The slots are
//      - free-leaf-only: the root, the operand of a unary operator, the operand beside a constant-like leaf;
//      - of two open operands of one operator at most one takes a constant-like leaf. They have the same
//        context, so which one does not matter: the first one counts as free-leaf-only;
//      - open to any leaf otherwise.
//
// 2. Without limits on the uses of free leaves, every slot whose context allows one can be closed, and an
//    operator below which none is allowed is never placed (grammar/nesting.hpp). There is nothing more to
//    test: this is the fast path, `Grammar::needs_lookahead() == false`.
//
// 3. With limits, closing the slots is a matching: slots on the one side, the uses left on the other. Each
//    leaf is in at most one rule on uses (the grammar refuses others), so that a rule is one node with a
//    capacity. A required variable that is still missing keeps one use of its rule for itself.
//
// 4. Let Q be the required variables that are still missing. A slot takes several leaves when they are
//    joined by a binary operator that no rule mentions, at 2 tokens for each leaf beyond the first; no
//    subtree with as many leaves is shorter. So room() / 2 leaves can be had beyond one for each slot. Each
//    variable of Q has to be allowed in some open slot. Those that close a slot cost nothing, all others
//    need a leaf beyond. How many can close a slot is a maximum matching of Q into the slots, whatever else
//    the slots need: if in a bipartite graph one matching covers a set of nodes on the left and another a
//    set on the right, then a third covers both (Mendelsohn and Dulmage, 1958). With a single required
//    variable no further leaf is ever needed, and neither is that operator.
#pragma once

#include "grammar/partial_tree.hpp"

namespace ddsr {

bool can_be_completed(const Grammar& grammar, const PartialTree& tree);

}  // namespace ddsr

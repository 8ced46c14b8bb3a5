// Whether a partial expression can be completed within its length under all rules. This is the proof that the
// legal left-to-right fill has no dead ends and still reaches every legal expression.
//
// 1. Leaves suffice. In a completion, a slot's subtree either is a leaf or contains a free leaf (a variable,
//    or the literal 1 if there are no constants), since no operator works on constants alone. That leaf is
//    allowed in the slot itself: nesting contexts only become stricter on the way down. Replacing the subtree
//    by it breaks no rule: the expression gets shorter, tokens are used less often, and leaves undo nothing.
//    So, apart from required variables, a completion exists exactly if every open slot can be closed with a
//    leaf. The slots are
//      - free-leaf-only: the root, the operand of a unary operator, the operand beside a constant-like leaf;
//      - two open operands of one operator, of which at most one takes a constant-like leaf. They have the
//        same context, so which one does not matter: the first one counts as free-leaf-only;
//      - open to any leaf otherwise.
//
// 2. Without limits on the uses of free leaves, every slot whose context allows one can be closed, and an
//    operator below which none is allowed is never placed (grammar/nesting.hpp). Nothing else needs to be
//    tested: this is the fast path, `Grammar::needs_lookahead() == false`.
//
// 3. With limits, closing the slots is a bipartite matching of slots and remaining uses. Each leaf is in at
//    most one rule on uses (the grammar refuses others), so a rule is one node with a capacity. A required
//    variable that is still missing reserves one use of its rule.
//
// 4. Let Q be the required variables that are still missing. A slot takes several leaves if a binary operator
//    that no rule mentions joins them, at 2 tokens for each leaf after the first; no subtree with as many
//    leaves is shorter. So room() / 2 additional leaves are possible. Each variable of Q has to be allowed in
//    some open slot. Those that close a slot cost nothing; each of the others needs an additional leaf. The
//    number that can close a slot is a maximum matching of Q into the slots, whatever else the slots need: if
//    in a bipartite graph one matching covers a set of nodes on the left and another a set on the right, then
//    a third covers both (Mendelsohn and Dulmage, 1958). With a single required variable no additional leaf
//    is ever needed, and neither is that operator.
#pragma once

#include "grammar/partial_tree.hpp"

namespace ddsr {

bool can_be_completed(const Grammar& grammar, const PartialTree& tree);

}  // namespace ddsr

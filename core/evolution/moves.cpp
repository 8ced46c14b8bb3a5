#include "evolution/moves.hpp"

#include <cmath>

namespace ddsr {

namespace {

constexpr int LEAST_GROWTH = 2, MOST_GROWTH = 5;
constexpr double LEAF_OPERAND_RATE = 0.7;
// How often a draw that changes nothing is repeated. It is frequent in a small vocabulary.
constexpr int N_REDRAWS = 8;

std::size_t at(int index) { return static_cast<std::size_t>(index); }
int size_of(const Formula& formula) { return static_cast<int>(formula.tokens.size()); }

// Appends tokens [begin, end) of a formula, with their constants, to `out`.
void append(Formula& out, const Formula& from, int begin, int end, const MoveContext& context) {
  out.tokens.insert(out.tokens.end(), from.tokens.begin() + begin, from.tokens.begin() + end);
  if (from.constants.empty()) return;
  const int first = constants_before(context.vocabulary, from.tokens, begin);
  const int last = constants_before(context.vocabulary, from.tokens, end);
  out.constants.insert(out.constants.end(), from.constants.begin() + first, from.constants.begin() + last);
}

int end_of(const Formula& formula, int begin, const MoveContext& context) {
  return subtree_end(context.vocabulary, formula.tokens, begin);
}

// The parent with tokens [begin, end) replaced by what `put` appends.
template <typename Put>
Formula with_replaced(const Formula& parent, int begin, int end, const MoveContext& context, Put put) {
  Formula child;
  child.tokens.reserve(parent.tokens.size() + MOST_GROWTH + 1);
  append(child, parent, 0, begin, context);
  put(child);
  append(child, parent, end, size_of(parent), context);
  return child;
}

// Draws a place uniformly from those for which `is_wanted` holds; -1 if there are none.
template <typename IsWanted>
int draw_place(const Formula& formula, RandomSource& random, IsWanted is_wanted) {
  int n = 0;
  for (const TokenId id : formula.tokens) n += is_wanted(id);
  if (n == 0) return -1;
  int place = -1;
  for (int left = random.below(n); left >= 0; --left) do
      ++place;
    while (!is_wanted(formula.tokens[at(place)]));
  return place;
}

int draw_operator(const Formula& formula, RandomSource& random, const MoveContext& context) {
  return draw_place(formula, random, [&](TokenId id) { return context.vocabulary.arity(id) > 0; });
}

Formula other_leaf(const Formula& parent, int place, RandomSource& random, const MoveContext& context) {
  Formula leaf;
  for (int n = 0; n < N_REDRAWS; ++n) {
    leaf = {};
    context.drawing.append_leaf(leaf, random);
    if (leaf.tokens[0] != parent.tokens[at(place)]) break;
  }
  return with_replaced(parent, place, place + 1, context,
                       [&](Formula& child) { append(child, leaf, 0, 1, context); });
}

Formula other_binary(const Formula& parent, int place, RandomSource& random, const MoveContext& context) {
  TokenId id = parent.tokens[at(place)];
  if (!context.drawing.has_binary()) return parent;
  for (int n = 0; n < N_REDRAWS && id == parent.tokens[at(place)]; ++n) id = context.drawing.binary(random);
  const int second = end_of(parent, place + 1, context);
  const bool needs_exponent =
      context.drawing.is_power(id) && !context.vocabulary.is_constant(parent.tokens[at(second)]);
  Formula child = !needs_exponent
                      ? parent
                      : with_replaced(parent, second, end_of(parent, second, context), context,
                                      [&](Formula& out) { context.drawing.append_exponent(out, random); });
  child.tokens[at(place)] = id;
  return child;
}

}  // namespace

Formula point(const Formula& parent, RandomSource& random, const MoveContext& context) {
  const int place = random.below(size_of(parent));
  const int arity = context.vocabulary.arity(parent.tokens[at(place)]);
  if (arity == 0) return other_leaf(parent, place, random, context);
  if (arity == 2) return other_binary(parent, place, random, context);
  Formula child = parent;
  for (int n = 0; n < N_REDRAWS && context.drawing.has_unary() && child == parent; ++n)
    child.tokens[at(place)] = context.drawing.unary(random);
  return child;
}

Formula grow(const Formula& parent, RandomSource& random, const MoveContext& context) {
  const int place = draw_place(parent, random, [&](TokenId id) { return context.vocabulary.arity(id) == 0; });
  return with_replaced(parent, place, place + 1, context, [&](Formula& child) {
    context.drawing.append_tree(child, random.between(LEAST_GROWTH, MOST_GROWTH), random);
  });
}

Formula wrap_binary(const Formula& parent, RandomSource& random, const MoveContext& context) {
  if (!context.drawing.has_binary()) return parent;
  const int begin = random.below(size_of(parent)), end = end_of(parent, begin, context);
  const TokenId id = context.drawing.binary(random);
  const bool is_power = context.drawing.is_power(id);
  const bool comes_first = is_power || random.chance(0.5);
  return with_replaced(parent, begin, end, context, [&](Formula& child) {
    child.tokens.push_back(id);
    if (comes_first) append(child, parent, begin, end, context);
    if (is_power)
      context.drawing.append_exponent(child, random);
    else if (random.chance(LEAF_OPERAND_RATE))
      context.drawing.append_leaf(child, random);
    else
      context.drawing.append_tree(child, random.between(LEAST_GROWTH, MOST_GROWTH), random);
    if (!comes_first) append(child, parent, begin, end, context);
  });
}

Formula wrap_unary(const Formula& parent, RandomSource& random, const MoveContext& context) {
  if (!context.drawing.has_unary()) return parent;
  const int begin = random.below(size_of(parent)), end = end_of(parent, begin, context);
  return with_replaced(parent, begin, end, context, [&](Formula& child) {
    child.tokens.push_back(context.drawing.unary(random));
    append(child, parent, begin, end, context);
  });
}

Formula hoist(const Formula& parent, RandomSource& random, const MoveContext& context) {
  const int begin = draw_operator(parent, random, context);
  if (begin < 0) return parent;
  const int end = end_of(parent, begin, context);
  const int kept = random.between(begin + 1, end - 1);
  return with_replaced(parent, begin, end, context, [&](Formula& child) {
    append(child, parent, kept, end_of(parent, kept, context), context);
  });
}

Formula swap_operands(const Formula& parent, RandomSource& random, const MoveContext& context) {
  const int begin = draw_place(parent, random, [&](TokenId id) {
    const Token& token = context.vocabulary[id];
    return token.arity == 2 && !row_of(token.op).is_commutative;
  });
  if (begin < 0) return parent;
  const int first = begin + 1, second = end_of(parent, first, context);
  const int end = end_of(parent, second, context);
  return with_replaced(parent, first, end, context, [&](Formula& child) {
    append(child, parent, second, end, context);
    append(child, parent, first, second, context);
  });
}

Formula perturb_constants(const Formula& parent, RandomSource& random, const MoveContext&) {
  Formula child = parent;
  for (double& value : child.constants) {
    if (random.chance(0.3)) continue;
    value *= std::exp(0.7 * random.normal());
    if (random.chance(0.2)) value = -value;
    if (random.chance(0.2)) value = random.normal();
  }
  return child;
}

Formula match(const Formula& parent, RandomSource& random, const MoveContext& context) {
  return context.matcher == nullptr ? parent : context.matcher->match(parent, 0, size_of(parent), random);
}

Formula cross_over(const Formula& parent, const Formula& donor, RandomSource& random,
                   const MoveContext& context) {
  const int begin = random.below(size_of(parent)), taken = random.below(size_of(donor));
  return with_replaced(parent, begin, end_of(parent, begin, context), context, [&](Formula& child) {
    append(child, donor, taken, end_of(donor, taken, context), context);
  });
}

}  // namespace ddsr

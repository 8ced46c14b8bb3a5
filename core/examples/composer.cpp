#include "examples/composer.hpp"

#include <algorithm>
#include <array>

#include "examples/numbers.hpp"

namespace ddsr {

namespace {
constexpr double NEGATIVE_RATE = 0.35;     // terms that are subtracted
constexpr double DENOMINATOR_RATE = 0.38;  // factors that are divided by
constexpr int DEEPEST = 4;
}  // namespace

void Composer::any(Leaves leaves, int depth) {
  if (leaves.size() == 1 && (depth > 0 || random_.chance(0.3))) return factor(leaves, depth);
  if (depth >= DEEPEST) return monomial(leaves);
  enum Shape { Product, Sum, Function, Repeated, Motif, Polynomial };
  constexpr std::array AT_ROOT{0.34, 0.22, 0.10, 0.12, 0.18, 0.04};
  constexpr std::array INSIDE{0.48, 0.24, 0.10, 0.07, 0.10, 0.01};
  switch (draw_weighted(random_, depth == 0 ? AT_ROOT : INSIDE)) {
    case Product:
      return product(leaves, depth);
    case Sum:
      return sum(leaves, depth);
    case Function:
      return function(leaves, depth);
    case Repeated:
      return repeated(leaves, depth);
    case Motif:
      return motif(leaves, depth);
    default:
      return polynomial(leaves);
  }
}

// Splits the leaves, in order, into groups: often single leaves, otherwise of any size.
std::vector<Composer::Leaves> Composer::split(Leaves leaves, double lone_rate, int most) {
  std::vector<Leaves> groups;
  while (!leaves.empty()) {
    std::size_t size = 1;
    if (leaves.size() > 1 && !random_.chance(lone_rate))
      size = static_cast<std::size_t>(random_.between(2, static_cast<int>(leaves.size())));
    // avoid a single group with all leaves
    if (groups.empty() && size == leaves.size() && size > 1) size = leaves.size() / 2;
    if (static_cast<int>(groups.size()) == most - 1) size = leaves.size();
    groups.push_back(leaves.first(size));
    leaves = leaves.subspan(size);
  }
  return groups;
}

// Writes a variable, sometimes raised to a power.
void Composer::leaf(int variable) {
  constexpr std::array WEIGHTS{0.76, 0.17, 0.05, 0.02};
  switch (draw_weighted(random_, WEIGHTS)) {
    case 1:
      draft_.put(Op::Pow), draft_.put_variable(variable), draft_.put(draw_exponent(random_));
      return;
    case 2:
      draft_.put(Op::Sqrt);
      break;
    case 3:
      draft_.put(Op::Div), draft_.put(1.0);
      break;
    default:
      break;
  }
  draft_.put_variable(variable);
}

// Writes one factor or term; a single variable may get a function or a shift.
void Composer::factor(Leaves leaves, int depth) {
  if (leaves.size() > 1) return any(leaves, depth + 1);
  constexpr std::array WEIGHTS{0.82, 0.07, 0.11};
  switch (draw_weighted(random_, WEIGHTS)) {
    case 0:
      return leaf(leaves[0]);
    case 1:
      draft_.put(random_.chance(0.5) ? Op::Add : Op::Sub);
      if (random_.chance(0.5)) {
        leaf(leaves[0]);
        return one_or_constant();
      }
      one_or_constant();
      return leaf(leaves[0]);
    default:
      return function(leaves, depth);
  }
}

void Composer::product(Leaves leaves, int depth) {
  std::vector<Leaves> above, below;
  for (const Leaves group : split(leaves, 0.72, 10))
    (random_.chance(DENOMINATOR_RATE) ? below : above).push_back(group);
  const auto chain = [&](const std::vector<Leaves>& groups) {
    for (std::size_t i = 1; i < groups.size(); ++i) draft_.put(Op::Mul);
    for (const Leaves group : groups) factor(group, depth);
  };
  if (!below.empty()) draft_.put(Op::Div);
  if (above.empty())
    draft_.put(1.0);
  else
    chain(above);
  if (!below.empty()) chain(below);
}

void Composer::coefficient(double rate) {
  if (!random_.chance(rate)) return;
  draft_.put(Op::Mul), draft_.put(draw_constant(random_));
}

void Composer::one_or_constant() { draft_.put(random_.chance(0.55) ? 1.0 : draw_constant(random_)); }

void Composer::sum(Leaves leaves, int depth) {
  std::vector<Leaves> terms = split(leaves, 0.4, random_.chance(0.75) ? 2 : 4);
  const bool has_constant = terms.size() < 2 || random_.chance(0.2);
  for (std::size_t i = has_constant ? 0 : 1; i < terms.size(); ++i)
    draft_.put(random_.chance(NEGATIVE_RATE) ? Op::Sub : Op::Add);
  if (has_constant) one_or_constant();
  for (const Leaves term : terms) {
    coefficient(0.18);
    if (term.size() > 1 && random_.chance(0.55))
      monomial(term);
    else
      factor(term, depth);
  }
}

// Writes a product of powers.
void Composer::monomial(Leaves leaves) {
  std::vector<int> above, below;
  for (const int variable : leaves) (random_.chance(DENOMINATOR_RATE) ? below : above).push_back(variable);
  if (!below.empty()) draft_.put(Op::Div);
  if (above.empty()) draft_.put(1.0);
  for (const auto* side : {&above, &below}) {
    for (std::size_t i = 1; i < side->size(); ++i) draft_.put(Op::Mul);
    for (const int variable : *side) leaf(variable);
  }
}

Op Composer::drawn_function() {
  constexpr std::array COMMON{Op::Exp,  Op::Sin,  Op::Cos,  Op::Log,  Op::Sqrt, Op::Tan, Op::Tanh,
                              Op::Asin, Op::Acos, Op::Atan, Op::Sinh, Op::Cosh, Op::Abs};
  constexpr std::array WEIGHTS{0.30, 0.16, 0.16, 0.13, 0.25, 0.05, 0.12, 0.04, 0.03, 0.05, 0.03, 0.04, 0.03};
  std::array<double, COMMON.size()> weights = WEIGHTS;
  for (std::size_t i = 0; i < COMMON.size(); ++i) {
    const bool is_periodic = row_of(COMMON[i]).is_periodic();
    if (!draft_.has(COMMON[i]) || (is_periodic && is_periodic_)) weights[i] = 0.0;
  }
  return COMMON[static_cast<std::size_t>(draw_weighted(random_, weights))];
}

// Writes the argument of a function: mostly a product or ratio, often with a numeric factor.
void Composer::argument(Leaves leaves, int depth) {
  if (leaves.size() == 1 || random_.chance(0.7)) return monomial(leaves);
  any(leaves, depth + 1);
}

void Composer::function(Leaves leaves, int depth) {
  const Op op = drawn_function();
  const bool was_periodic = is_periodic_;
  is_periodic_ = is_periodic_ || row_of(op).is_periodic();
  draft_.put(op);
  const bool is_shifted = (op == Op::Log || op == Op::Sqrt) ? random_.chance(0.45) : random_.chance(0.1);
  if (is_shifted) {  // log(1 + u), sqrt(1 - u)
    draft_.put(op != Op::Log && random_.chance(0.5) ? Op::Sub : Op::Add);
    one_or_constant();
  } else if (op == Op::Exp && random_.chance(0.6)) {
    draft_.put(Op::Mul), draft_.put(random_.chance(0.6) ? -1.0 : -draw_constant(random_));
  }
  coefficient(op == Op::Sqrt && !is_shifted ? 0.0 : 0.3);
  if (leaves.size() == 1 && random_.chance(0.7))
    draft_.put_variable(leaves[0]);
  else
    argument(leaves, depth);
  is_periodic_ = was_periodic;
}

}  // namespace ddsr

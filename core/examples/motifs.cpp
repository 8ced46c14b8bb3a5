// Shapes that occur in all sciences: saturation, decay, thresholds, norms, differences of similar terms.
#include <algorithm>
#include <array>

#include "examples/composer.hpp"
#include "examples/numbers.hpp"

namespace ddsr {

namespace {
enum Shape {
  Saturation,         // 1 / (1 + u)
  Share,              // a / (a + b)
  Contrast,           // (a - b) / (a + b)
  Complement,         // 1 - u, 1 + u
  Growth,             // exp(u) - 1, 1 - exp(-u)
  Occupation,         // 1 / (exp(u) + 1), 1 / (exp(u) - 1)
  Bell,               // exp(-u^2 / c)
  Damping,            // exp(-u) times sin or cos of v
  SquaredComplement,  // 1 - u^2, sqrt(1 - u^2)
  PowerOfSum,         // (u + v)^2, (u + v)^1.5
  Parallel,           // 1 / (1 / a + 1 / b)
  N_SHAPES
};
constexpr std::array<double, N_SHAPES> SHAPE_WEIGHTS{0.18, 0.08, 0.05, 0.16, 0.10, 0.06,
                                                     0.06, 0.06, 0.09, 0.11, 0.05};
constexpr std::array<bool, N_SHAPES> NEEDS_TWO{false, true, true,  false, false, false,
                                               false, true, false, true,  true};
}  // namespace

// A shape of some of the leaves, multiplied or divided by the rest.
void Composer::motif(Leaves leaves, int depth) {
  const int shape = draw_weighted(random_, SHAPE_WEIGHTS);
  const int n = static_cast<int>(leaves.size()), least = NEEDS_TWO[static_cast<std::size_t>(shape)] ? 2 : 1;
  if (n < least) return function(leaves, depth);
  const int n_inside = random_.chance(0.35) ? n : random_.between(least, n);
  const Leaves inside = leaves.first(static_cast<std::size_t>(n_inside));
  const Leaves rest = leaves.subspan(static_cast<std::size_t>(n_inside));
  if (rest.empty()) return shape_of(shape, inside, depth);
  draft_.put(random_.chance(0.3) ? Op::Div : Op::Mul);
  if (random_.chance(0.75))
    monomial(rest);
  else
    any(rest, depth + 1);
  shape_of(shape, inside, depth);
}

void Composer::shape_of(int shape, Leaves leaves, int depth) {
  const std::size_t half = (leaves.size() + 1) / 2;
  const Leaves first = leaves.first(half), second = leaves.subspan(half);
  switch (shape) {
    case Saturation:
      draft_.put(Op::Div), draft_.put(1.0);
      return complement(0.3, 0.2, leaves, depth);
    case Share:
      return share(first, second);
    case Contrast:
      return contrast(first, second);
    case Complement:
      return complement(0.5, 0.15, leaves, depth);
    case Growth:
      return growth(leaves, depth);
    case Occupation:
      draft_.put(Op::Div), draft_.put(1.0), draft_.put(random_.chance(0.4) ? Op::Sub : Op::Add);
      draft_.put(Op::Exp);
      coefficient(0.3);
      argument(leaves, depth);
      return one_or_constant();
    case Bell:
      draft_.put(Op::Exp), draft_.put(Op::Mul);
      draft_.put(random_.chance(0.4) ? -1.0 : (random_.chance(0.5) ? -0.5 : -draw_constant(random_)));
      draft_.put(Op::Pow);
      argument(leaves, depth);
      return draft_.put(2.0);
    case Damping:
      return damping(first, second, depth);
    case SquaredComplement:
      if (random_.chance(0.5)) draft_.put(Op::Sqrt);
      draft_.put(random_.chance(0.6) ? Op::Sub : Op::Add);
      one_or_constant();
      draft_.put(Op::Pow);
      monomial(leaves);
      return draft_.put(2.0);
    case PowerOfSum:
      draft_.put(Op::Pow), draft_.put(random_.chance(0.5) ? Op::Sub : Op::Add);
      monomial(first);
      coefficient(0.15);
      monomial(second);
      return draft_.put(draw_exponent(random_));
    default:
      draft_.put(Op::Div), draft_.put(1.0), draft_.put(Op::Add);
      draft_.put(Op::Div), draft_.put(1.0);
      monomial(first);
      draft_.put(Op::Div), draft_.put(1.0);
      return monomial(second);
  }
}

void Composer::complement(double minus_rate, double coefficient_rate, Leaves leaves, int depth) {
  draft_.put(random_.chance(minus_rate) ? Op::Sub : Op::Add);
  one_or_constant();
  coefficient(coefficient_rate);
  argument(leaves, depth);
}

void Composer::share(Leaves first, Leaves second) {
  draft_.put(Op::Div);
  const Draft::Mark mark = draft_.mark();
  monomial(first);
  const Formula part = draft_.since(mark);
  draft_.put(Op::Add), draft_.put(part);
  coefficient(0.15);
  monomial(second);
}

void Composer::contrast(Leaves first, Leaves second) {
  draft_.put(Op::Div), draft_.put(Op::Sub);
  const Draft::Mark mark = draft_.mark();
  monomial(first), monomial(second);
  const Formula both = draft_.since(mark);
  draft_.put(Op::Add), draft_.put(both);
}

void Composer::growth(Leaves leaves, int depth) {
  draft_.put(Op::Sub);
  if (random_.chance(0.5)) {
    draft_.put(Op::Exp);
    coefficient(0.3);
    argument(leaves, depth);
    return draft_.put(1.0);
  }
  draft_.put(1.0), draft_.put(Op::Exp), draft_.put(Op::Mul);
  draft_.put(random_.chance(0.6) ? -1.0 : -draw_constant(random_));
  argument(leaves, depth);
}

void Composer::damping(Leaves first, Leaves second, int depth) {
  draft_.put(Op::Mul), draft_.put(Op::Exp), draft_.put(Op::Mul);
  draft_.put(random_.chance(0.5) ? -1.0 : -draw_constant(random_));
  monomial(first);
  if (is_periodic_) return monomial(second);
  is_periodic_ = true;
  draft_.put(random_.chance(0.5) ? Op::Sin : Op::Cos);
  coefficient(0.3);
  argument(second, depth);
  is_periodic_ = false;
}

// A sum of terms of one pattern: x^2 + y^2 + z^2 under a root, a b + c d, 1/a - 1/b.
void Composer::repeated(Leaves leaves, int depth) {
  const int n = static_cast<int>(leaves.size());
  if (n < 2) return function(leaves, depth);
  const int size = n >= 4 && random_.chance(0.5) ? 2 : (n >= 6 && random_.chance(0.25) ? 3 : 1);
  const int n_terms = random_.between(2, std::min(n / size, 4));
  const auto used = static_cast<std::size_t>(size * n_terms);
  const Leaves rest = leaves.subspan(used);
  if (!rest.empty()) {
    draft_.put(random_.chance(0.4) ? Op::Div : Op::Mul);
    monomial(rest);
  }
  const double exponent = random_.chance(0.7) ? 2.0 : draw_exponent(random_);
  const int pattern = random_.below(size == 1 ? 5 : 4);
  const bool is_difference = random_.chance(0.3);
  const bool is_squared = pattern == 0;
  constexpr std::array OUTER{0.5, 0.35, 0.15};
  const int outer = is_squared ? draw_weighted(random_, OUTER) : (random_.chance(0.85) ? 0 : 2);
  if (outer == 1) draft_.put(Op::Sqrt);
  if (outer == 2) draft_.put(Op::Div), draft_.put(1.0);
  for (int i = 1; i < n_terms; ++i) draft_.put(is_difference ? Op::Sub : Op::Add);
  for (int i = 0; i < n_terms; ++i)
    alike_term(pattern, leaves.subspan(static_cast<std::size_t>(i * size), static_cast<std::size_t>(size)),
               exponent);
}

void Composer::alike_term(int pattern, Leaves leaves, double exponent) {
  const auto product = [&](Leaves some) {
    for (std::size_t i = 1; i < some.size(); ++i) draft_.put(Op::Mul);
    for (const int variable : some) draft_.put_variable(variable);
  };
  const Leaves behind = leaves.subspan(1);
  switch (pattern) {
    case 0:  // squares of variables, differences or products
      draft_.put(Op::Pow);
      if (leaves.size() == 2 && random_.chance(0.5))
        draft_.put(Op::Sub), product(leaves.first(1)), product(behind);
      else
        product(leaves);
      return draft_.put(exponent);
    case 1:
      return product(leaves);
    case 2:
      draft_.put(Op::Div);
      if (behind.empty()) draft_.put(1.0);
      product(leaves.first(1));
      if (!behind.empty()) product(behind);
      return;
    case 3:
      if (!behind.empty()) draft_.put(Op::Mul), product(behind);
      draft_.put(Op::Pow), product(leaves.first(1));
      return draft_.put(exponent);
    default:
      draft_.put(is_periodic_ ? Op::Sqrt : Op::Sin);
      return product(leaves.first(1));
  }
}

// A polynomial of low degree in one variable, multiplied or divided by the rest.
void Composer::polynomial(Leaves leaves) {
  const Leaves rest = leaves.subspan(1);
  if (!rest.empty()) {
    draft_.put(random_.chance(0.3) ? Op::Div : Op::Mul);
    monomial(rest);
  }
  const int degree = random_.between(2, 4);
  const auto signed_constant = [&] { return (random_.chance(0.4) ? -1.0 : 1.0) * draw_constant(random_); };
  std::vector<int> powers;
  for (int power = 1; power <= degree; ++power)
    if (power == degree || random_.chance(0.6)) powers.push_back(power);
  const bool has_constant = powers.size() < 2 || (!rest.empty() && random_.chance(0.5));
  for (std::size_t i = has_constant ? 0 : 1; i < powers.size(); ++i) draft_.put(Op::Add);
  if (has_constant) draft_.put(random_.chance(0.4) ? 1.0 : signed_constant());
  for (const int power : powers) {
    if (random_.chance(0.6)) draft_.put(Op::Mul), draft_.put(signed_constant());
    draft_.put(Op::Pow), draft_.put_variable(leaves[0]), draft_.put(static_cast<double>(power));
  }
}

}  // namespace ddsr

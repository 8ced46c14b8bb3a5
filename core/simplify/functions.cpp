// Functions: those that undo each other, signs of odd and even ones, shifts of sine and cosine.
#include <algorithm>
#include <cmath>

#include "simplify/algebra.hpp"

namespace ddsr {

namespace {

constexpr double QUARTER_TURN = FULL_TURN / 4.0;
constexpr double MOST_QUARTERS = 64.0;  // beyond that a constant is a multiple only by chance
// exp(u) may overflow where exp(u + d) with a very negative d does not.
constexpr double LOWEST_EXPONENT = -20.0;
constexpr double SHIFT_TOLERANCE = 1e-9;  // relative

}  // namespace

int Algebra::function(Op op, int a) {
  if (forms_[a].shape == Shape::Call && is_undone_by(forms_[a].op, op)) {
    domain_grew_ |= row_of(forms_[a].op).domain != Reals::All;
    return forms_[a].a;
  }
  switch (op) {
    case Op::Exp:
      return exponential(a);
    case Op::Log:
      return logarithm(a);
    case Op::Abs:
      return absolute(a);
    case Op::Sign:
    case Op::Step:
    case Op::Relu:
      return branch(op, a);
    default:
      return row_of(op).is_periodic() ? periodic(op, a) : odd_or_even(op, a);
  }
}

// min(u, v) is min(v, u), and min(u, u) is u.
int Algebra::function_of_two(Op op, int a, int b) {
  if ((op == Op::Min || op == Op::Max) && a == b) return a;
  if (row_of(op).is_commutative && a > b) std::swap(a, b);
  return forms_.call(op, a, b);
}

// Functions whose branch depends on the sign of their operand, but not on its size.
int Algebra::branch(Op op, int a) {
  const bool is_above = op == Op::Sign ? forms_[a].is_positive : forms_[a].is_nonnegative;
  if (is_above) {
    domain_grew_ |= op != Op::Relu;
    return op == Op::Relu ? a : forms_.number(1.0);
  }
  const Scaled scaled = split_and_store(a, op == Op::Sign);
  if (op == Op::Sign) return scale(scaled.factor < 0.0 ? -1.0 : 1.0, forms_.call(op, scaled.node));
  if (scaled.factor <= 0.0) return forms_.call(op, a);
  return scale(op == Op::Relu ? scaled.factor : 1.0, forms_.call(op, scaled.node));
}

int Algebra::general_power(int base, int exponent) {
  if (forms_.is_number(base, 1.0)) {
    domain_grew_ = true;
    return base;
  }
  if (forms_.is_call(base, Op::Exp)) return exponential(multiply(forms_[base].a, exponent));
  // (u^v)^w is u^(v*w)
  if (uses_signs_ && forms_.is_call(base, Op::Pow) && forms_[forms_[base].a].is_positive) {
    const int merged = multiply(forms_[base].b, exponent);
    const int inner = forms_[base].a;
    return forms_.is_number(merged) ? power(inner, forms_[merged].value) : general_power(inner, merged);
  }
  return forms_.call(Op::Pow, base, exponent);
}

// exp(u + c*log(v) + d) is exp(d) * v^c * exp(u), and exp(w*log(v)) is v^w.
int Algebra::exponential(int a) {
  if (forms_.is_number(a)) return forms_.number(checked(std::exp(forms_[a].value)));
  double constant = 0.0;
  std::vector<Part> kept;
  std::vector<Part> powers;
  std::vector<int> variable_powers;
  for (const Part& term : terms_of(a, constant)) {
    if (forms_.is_call(term.node, Op::Log))
      powers.push_back({term.weight, forms_[term.node].a});
    else if (const int form = uses_signs_ ? power_from_logarithm(term) : -1; form >= 0)
      variable_powers.push_back(form);
    else
      kept.push_back(term);
  }
  const double inside = constant < LOWEST_EXPONENT ? constant : 0.0;
  int result = forms_.number(1.0);
  if (!kept.empty()) result = forms_.call(Op::Exp, forms_.sum(inside, kept));
  for (const Part& part : powers) {
    domain_grew_ = true;
    result = multiply(result, power(part.node, part.weight));
  }
  for (const int form : variable_powers) result = multiply(result, form);
  const bool is_taken_out = constant != 0.0 && (inside == 0.0 || kept.empty());
  return is_taken_out ? scale(checked(std::exp(constant)), result) : result;
}

// v^(c*w) of a term c*w*log(v); -1 of any other.
int Algebra::power_from_logarithm(const Part& term) {
  if (forms_[term.node].shape != Shape::Product) return -1;
  std::vector<Part> factors = copy_of_parts(term.node);
  const auto log = std::ranges::find_if(factors, [&](const Part& factor) {
    return factor.weight == 1.0 && forms_.is_call(factor.node, Op::Log);
  });
  if (log == factors.end()) return -1;
  const int base = forms_[log->node].a;
  factors.erase(log);
  domain_grew_ |= !forms_.is_positive_variable(base);
  return general_power(base, scale(term.weight, forms_.product(factors)));
}

// log(c*u) is log(c) + log(u), log(exp(u)*v) is u + log(v), log(x^c) is c*log(x) unless an even c hides the
// sign of x.
int Algebra::logarithm(int a) {
  if (forms_.is_call(a, Op::Exp)) return forms_[a].a;
  if (forms_.is_number(a)) return forms_.call(Op::Log, a);
  const Scaled scaled = split_and_store(a, false);
  if (scaled.factor != 1.0) return add(forms_.number(std::log(scaled.factor)), logarithm(scaled.node));
  // log(u^v) is v*log(u)
  if (uses_signs_ && forms_.is_call(a, Op::Pow) && forms_[forms_[a].a].is_positive)
    return multiply(forms_[a].b, logarithm(forms_[a].a));
  return forms_[a].shape == Shape::Product ? logarithm_of_product(a) : forms_.call(Op::Log, a);
}

int Algebra::logarithm_of_product(int a) {
  std::vector<Part> factors = copy_of_parts(a);
  for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
    if (!forms_.is_call(factor->node, Op::Exp)) continue;
    const int exponent = forms_[factor->node].a;
    factors.erase(factor);
    return add(exponent, logarithm(forms_.product(factors)));
  }
  // log(u*v) is log(u) + log(v) for positive u, and if neither can be negative, as neither can be 0 then.
  if (uses_signs_ && factors.size() > 1) {
    const bool is_split = forms_[a].is_nonnegative && std::ranges::all_of(factors, [&](const Part& factor) {
                            return forms_[factor.node].is_nonnegative;
                          });
    for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
      if (!is_split && !forms_[factor->node].is_positive) continue;
      const int taken = forms_.product(std::vector{*factor});
      factors.erase(factor);
      const int left = logarithm(taken);
      return add(left, logarithm(forms_.product(factors)));
    }
  }
  const Part& only = factors[0];
  const bool is_sound = !is_even(only.weight) || forms_[only.node].is_nonnegative;
  if (factors.size() == 1 && is_sound && !forms_.is_number(only.node))
    return scale(only.weight, logarithm(only.node));
  return forms_.call(Op::Log, a);
}

int Algebra::absolute(int a) {
  const Scaled scaled = split_and_store(a, true);
  const int size = forms_[scaled.node].is_nonnegative ? scaled.node : forms_.call(Op::Abs, scaled.node);
  return scale(std::abs(scaled.factor), size);
}

// A shift by quarter turns changes the sign and turns sine into cosine.
int Algebra::periodic(Op op, int a) {
  const double shift = forms_[a].shape == Shape::Sum ? forms_[a].value : 0.0;
  const double quarters = std::round(shift / QUARTER_TURN);
  const bool is_shift = quarters != 0.0 && std::abs(quarters) <= MOST_QUARTERS &&
                        std::abs(shift - quarters * QUARTER_TURN) <= SHIFT_TOLERANCE * std::abs(shift);
  const bool swaps = !is_even(quarters);
  const Op other = op == Op::Sin ? Op::Cos : Op::Sin;
  const bool has_other = op != Op::Tan && (other == Op::Sin ? has_sin_ : has_cos_);
  if (!is_shift || (swaps && !has_other)) return odd_or_even(op, a);
  const int plain = forms_.sum(0.0, copy_of_parts(a));
  if (op == Op::Tan) return odd_or_even(op, plain);
  // sin(u + q) is sin, cos, -sin, -cos as q grows by quarter turns; cos(u + q) is one quarter ahead.
  const int turn = (static_cast<int>(quarters) % 4 + 4 + (op == Op::Cos ? 1 : 0)) % 4;
  return scale(turn >= 2 ? -1.0 : 1.0, odd_or_even(turn % 2 == 0 ? Op::Sin : Op::Cos, plain));
}

int Algebra::odd_or_even(Op op, int a) {
  const bool is_negated = forms_[a].shape == Shape::Sum && forms_.parts(a)[0].weight < 0.0;
  if (!is_negated || row_of(op).parity == Parity::None) return forms_.call(op, a);
  const int function = forms_.call(op, scale(-1.0, a));
  return row_of(op).is_odd() ? scale(-1.0, function) : function;
}

}  // namespace ddsr

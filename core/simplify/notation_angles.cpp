// Notation of angles: phases of periodic functions, and inverse functions that add up to a quarter turn.
#include <cmath>
#include <utility>

#include "simplify/notation.hpp"

namespace ddsr {

namespace {

constexpr double QUARTER_TURN = FULL_TURN / 4.0;
constexpr double SAME_NUMBER = 1e-7;  // fitted numbers that differ by less are equal

// acos(u) for a sum pi / 2 - asin(u), and the reverse; nothing for all others.
std::optional<Tree> complement(const Tree& sum) {
  const double sign = sum.is(Op::Add) ? 1.0 : -1.0;
  for (const std::size_t place : {0u, 1u}) {
    const Tree& constant = sum.operands[place];
    const auto [factor, function] = split_factor(sum.operands[1 - place]);
    if (!constant.is_constant() || !(function.is(Op::Asin) || function.is(Op::Acos))) continue;
    const double scale = (place == 0 ? sign : 1.0) * factor;
    const double rest = (place == 0 ? 1.0 : sign) * constant.value + scale * QUARTER_TURN;
    if (scale != -1.0 || std::abs(rest) >= SAME_NUMBER) return {};
    return applied(function.is(Op::Asin) ? Op::Acos : Op::Asin, function.operands[0]);
  }
  return {};
}

class Phases {
 public:
  Phases(double beyond, const IsExact& is_exact) : beyond_(beyond), is_exact_(is_exact) {}

  // The argument with its phase reduced to half a period at most; unchanged if it has none or a smaller one.
  Tree reduced(const Tree& argument, double period) const {
    if (!argument.is_product()) return with_reduced_term(argument, period).value_or(argument);
    // c * (x - k): k may change by multiples of the period over c
    const Tree &left = argument.operands[0], &right = argument.operands[1];
    auto other = [&](const Tree& sum, double scaled) { return with_reduced_term(sum, scaled).value_or(sum); };
    if (argument.is(Op::Mul) && left.is_constant() && left.value != 0.0)
      return joined(Op::Mul, left, other(right, period / std::abs(left.value)));
    if (right.is_constant() && right.value != 0.0) {
      const double scale = argument.is(Op::Div) ? std::abs(right.value) : 1.0 / std::abs(right.value);
      return joined(argument.op, other(left, period * scale), right);
    }
    return argument;
  }

 private:
  // A chain of sums with its constant reduced to half a period at most; nothing if it does not change.
  std::optional<Tree> with_reduced_term(const Tree& sum, double period) const {
    if (!sum.is_sum() || !std::isfinite(period)) return {};
    for (std::size_t place = 0; place < 2; ++place) {
      const Tree& term = sum.operands[place];
      std::optional<Tree> other = term.is_constant() ? phase(term, period) : with_reduced_term(term, period);
      if (!other) continue;
      Tree result = sum;
      result.operands[place] = std::move(*other);
      return result;
    }
    return {};
  }

  std::optional<Tree> phase(const Tree& constant, double period) const {
    if (std::abs(constant.value) <= beyond_ * period) return {};
    if (constant.is_fixed && is_exact_(constant.value)) return {};
    return fitted(std::remainder(constant.value, period));
  }

  double beyond_;
  const IsExact& is_exact_;
};

}  // namespace

Tree with_complements(const Tree& given) {
  Tree tree = with_operands(given, with_complements);
  return tree.is_sum() ? complement(tree).value_or(tree) : tree;
}

Tree with_small_phases(const Tree& given, double beyond, const IsExact& is_exact) {
  Tree tree =
      with_operands(given, [&](const Tree& operand) { return with_small_phases(operand, beyond, is_exact); });
  if (!tree.is_operator() || !row_of(tree.op).is_periodic()) return tree;
  return applied(tree.op, Phases(beyond, is_exact).reduced(tree.operands[0], row_of(tree.op).period));
}

}  // namespace ddsr

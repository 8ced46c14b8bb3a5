// Notation of powers and exponentials.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "simplify/notation.hpp"

namespace ddsr {

namespace {

constexpr double SAME_RATE = 1e-11;    // relative: a rate this close to log(base) equals it
constexpr double LARGEST_LOG = 200.0;  // of a power factored out of another; keeps both in range

std::optional<double> simple_base(double rate) {
  const auto* found = std::ranges::find_if(SIMPLE_BASES, [rate](double base) {
    return std::abs(rate - std::log(base)) <= SAME_RATE * std::abs(rate);
  });
  if (found == std::end(SIMPLE_BASES)) return {};
  return *found;
}

// A constant factor of a product or a numerator, and the rest; 0 if there is none.
Factored split_rate(const Tree& tree) {
  if (!tree.is_product()) return {0.0, tree};
  const Tree &left = tree.operands[0], &right = tree.operands[1];
  if (left.is_constant()) return {left.value, tree.is(Op::Mul) ? right : joined(Op::Div, Tree{}, right)};
  if (tree.is(Op::Mul) && right.is_constant()) return {right.value, left};
  auto [rate, rest] = split_rate(left);
  return {rate, joined(tree.op, std::move(rest), right)};
}

// The combination of two constants, fixed if both are; nothing if double precision cannot hold it.
std::optional<Tree> number_of(const Tree& one, const Tree& other, double value) {
  if (!std::isfinite(value) || (value == 0.0 && one.value != 0.0)) return {};
  return one.is_known() && other.is_known() ? known(value) : fitted(value);
}

Tree multiple(const Tree& factor, const Tree& tree);

// The tree with a number multiplied into one of its constants; nothing if it has none that can take it.
std::optional<Tree> with_number_times(const Tree& factor, const Tree& tree) {
  if (tree.is_constant()) return number_of(factor, tree, factor.value * tree.value);
  if (tree.is(Op::Sub) && tree.operands[0].is_known(0.0))
    return multiple(known(-1.0), multiple(factor, tree.operands[1]));
  if (!tree.is_product()) return {};
  const Tree &left = tree.operands[0], &right = tree.operands[1];
  if (tree.is(Op::Div) && right.is_constant() && right.value != 0.0) {
    const std::optional<Tree> ratio = number_of(factor, right, factor.value / right.value);
    if (!ratio) return {};
    return without_unit_factor(multiple(*ratio, left));
  }
  std::optional<Tree> changed = with_number_times(factor, left);
  if (changed && tree.is(Op::Mul) && changed->is_constant())
    return without_unit_factor(multiple(*changed, right));  // which may have a number as well
  if (changed) return without_unit_factor(joined(tree.op, std::move(*changed), right));
  if (tree.is(Op::Mul)) changed = with_number_times(factor, right);
  if (!changed) return {};
  return without_unit_factor(joined(Op::Mul, left, std::move(*changed)));
}

// The tree times a number, which is combined with one of its constants if possible.
Tree multiple(const Tree& factor, const Tree& tree) {
  std::optional<Tree> taken_in = with_number_times(factor, tree);
  return taken_in ? std::move(*taken_in) : joined(Op::Mul, factor, tree);
}

// The power of a positive constant, which stays fixed or fitted, or of 1; else, or out of range, nothing.
std::optional<Tree> power_of_number(const Tree& base, double power) {
  if (base.kind == Kind::One) return base;
  if (!base.is_constant() || base.value <= 0.0 || std::abs(power * std::log(base.value)) > LARGEST_LOG)
    return {};
  return constant_like(base, std::pow(base.value, power));
}

// exp(p * u) for exp(u)^p, and c^p * exp(p * u) for (c * exp(u))^p with a fixed p; nothing for all others.
std::optional<Tree> power_of_exponential(const Tree& base, const Tree& power) {
  if (base.is(Op::Exp)) return applied(Op::Exp, multiple(power, base.operands[0]));
  if (!base.is_product() || !power.is_known()) return {};
  const bool is_behind = base.operands[1].is(Op::Exp);
  const Tree& function = base.operands[is_behind ? 1 : 0];
  std::optional<Tree> number = power_of_number(base.operands[is_behind ? 0 : 1], power.value);
  if (!function.is(Op::Exp) || !number) return {};
  Tree exponential = applied(Op::Exp, multiple(power, function.operands[0]));
  if (is_behind) return joined(base.op, std::move(*number), std::move(exponential));
  return joined(base.op, std::move(exponential), std::move(*number));
}

// p * log(u) for log(u^p), where u must be positive: unless p is even. A factor in front is combined with p.
std::optional<Tree> logarithm_of_power(const Tree& tree) {
  const bool is_scaled = tree.is(Op::Mul) && tree.operands[0].is_constant();
  if (is_scaled || tree.is(Op::Neg)) {
    std::optional<Tree> inner = logarithm_of_power(tree.operands.back());
    return inner ? with_number_times(is_scaled ? tree.operands[0] : known(-1.0), *inner) : std::nullopt;
  }
  if (!tree.is(Op::Log) || !tree.operands[0].is(Op::Pow)) return {};
  const Tree &base = tree.operands[0].operands[0], &exponent = tree.operands[0].operands[1];
  if (!exponent.is_constant() || std::fmod(exponent.value, 2.0) == 0.0) return {};
  return joined(Op::Mul, exponent, applied(Op::Log, base));
}

}  // namespace

Tree with_simple_bases(const Tree& given) {
  const Tree tree = with_operands(given, with_simple_bases);
  if (tree.is(Op::Exp)) {
    auto [rate, rest] = split_rate(tree.operands[0]);
    const std::optional<double> base = rate == 0.0 ? std::nullopt : simple_base(rate);
    return base ? joined(Op::Pow, known(*base), std::move(rest)) : tree;
  }
  if (tree.is(Op::Pow) && tree.operands[0].is_constant() && !tree.operands[0].is_fixed &&
      tree.operands[0].value > 0.0)
    if (const std::optional<double> base = simple_base(std::log(tree.operands[0].value)))
      return joined(Op::Pow, known(*base), tree.operands[1]);
  return tree;
}

Tree with_exponentials(const Tree& given) {
  Tree tree = with_operands(given, with_exponentials);
  if (!tree.is(Op::Pow)) return tree;
  const Tree& base = tree.operands[0];
  if (!base.is_constant() || base.is_fixed || base.value <= 0.0) return tree;
  auto [factor, rest] = split_factor(tree.operands[1]);
  return applied(Op::Exp, joined(Op::Mul, fitted(std::log(base.value) * factor), std::move(rest)));
}

Tree with_powers(const Tree& given) {
  if (std::optional<Tree> product = logarithm_of_power(given)) return with_operands(*product, with_powers);
  Tree tree = with_operands(given, with_powers);
  if (tree.is(Op::Sqrt)) return power_of_exponential(tree.operands[0], known(0.5)).value_or(tree);
  if (tree.is(Op::Pow) && tree.operands[1].is_constant())
    return power_of_exponential(tree.operands[0], tree.operands[1]).value_or(tree);
  if (!tree.is(Op::Exp) || !tree.operands[0].is_product()) return tree;
  const Tree& inner = tree.operands[0];
  const bool is_behind = inner.is(Op::Mul) && inner.operands[1].is(Op::Log);
  const Tree& log = inner.operands[is_behind ? 1 : 0];
  const Tree& other = inner.operands[is_behind ? 0 : 1];
  if (!log.is(Op::Log)) return tree;
  Tree exponent = inner.is(Op::Mul) ? other : joined(Op::Div, Tree{}, other);
  return joined(Op::Pow, log.operands[0], std::move(exponent));
}

}  // namespace ddsr

// Notation of fractions within denominators.
#include <cmath>
#include <utility>

#include "simplify/notation.hpp"

namespace ddsr {

namespace {

struct Fraction {
  Tree above, below;
};

Tree times(const Tree& left, const Tree& right) {
  if (left.kind == Kind::One) return right;
  if (right.kind == Kind::One) return left;
  return without_unit_factor(joined(Op::Mul, left, right));
}

// A variable, a whole power of one, or a product of these.
bool is_monomial(const Tree& tree) {
  if (tree.is(Op::Mul)) return is_monomial(tree.operands[0]) && is_monomial(tree.operands[1]);
  if (tree.is(Op::Square) || tree.is(Op::Cube)) return tree.operands[0].is_variable();
  if (!tree.is(Op::Pow)) return tree.is_variable();
  const Tree& exponent = tree.operands[1];
  return tree.operands[0].is_variable() && exponent.is_known() && exponent.value >= 1.0 &&
         exponent.value == std::floor(exponent.value);
}

// The c and m of c / m with a monomial m.
std::optional<Fraction> fraction_of(const Tree& tree) {
  if (tree.is(Op::Inverse) && is_monomial(tree.operands[0])) return Fraction{Tree{}, tree.operands[0]};
  if (tree.is(Op::Div) && is_monomial(tree.operands[1])) return Fraction{tree.operands[0], tree.operands[1]};
  if (tree.is(Op::Pow) && tree.operands[1].is_known()) {
    const double exponent = -tree.operands[1].value;
    Tree power = exponent == 1.0 ? tree.operands[0] : joined(Op::Pow, tree.operands[0], known(exponent));
    if (is_monomial(power)) return Fraction{Tree{}, std::move(power)};
  }
  if (tree.is(Op::Mul))
    for (const std::size_t place : {1u, 0u})
      if (std::optional<Fraction> part = fraction_of(tree.operands[place]))
        return Fraction{times(tree.operands[1 - place], part->above), std::move(part->below)};
  return {};
}

// Multiplies a fitted constant of a product by a number; false if there is none.
bool scale_fitted(Tree& product, double factor) {
  if (product.is_constant() && !product.is_fixed) {
    product.value *= factor;
    return true;
  }
  if (!product.is(Op::Mul)) return product.is(Op::Div) && scale_fitted(product.operands[0], factor);
  return scale_fitted(product.operands[0], factor) || scale_fitted(product.operands[1], factor);
}

// c * f, where c is combined with the number that f is or begins with.
Tree scaled(const Tree& tree, double factor) {
  if (tree.is_number()) return fitted(tree.value * factor);
  Tree result = tree;
  return scale_fitted(result, factor) ? result : joined(Op::Mul, fitted(factor), tree);
}

}  // namespace

Tree with_cleared_denominators(const Tree& given) {
  Tree tree = with_operands(given, with_cleared_denominators);
  const bool is_inverse = tree.is(Op::Inverse);
  if (!is_inverse && !tree.is(Op::Div)) return tree;
  const Tree& below = tree.operands.back();
  if (!below.is_sum()) return tree;
  const std::size_t place = below.operands[0].is_number() ? 1 : 0;
  const Tree& number = below.operands[1 - place];
  std::optional<Fraction> fraction = fraction_of(below.operands[place]);
  if (!fraction || !number.is_number() || number.value == 0.0) return tree;
  Tree above = is_inverse ? Tree{} : tree.operands[0];
  auto& [term, monomial] = *fraction;
  const bool is_bare =
      number.is_constant() && !number.is_fixed && !term.is_sum() && scale_fitted(above, 1.0 / number.value);
  if (is_bare) term = scaled(term, 1.0 / number.value);
  Tree rest = is_bare ? monomial : times(number, monomial);
  Tree sum = below.is(Op::Sub) && place == 1 ? joined(Op::Sub, std::move(rest), std::move(term))
                                             : joined(below.op, std::move(term), std::move(rest));
  return joined(Op::Div, times(above, monomial), std::move(sum));
}

}  // namespace ddsr

#include "evolution/folding.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace ddsr {

namespace {

// Uses the engine's kernel, so that the value agrees to the last bit.
double kernel_value(const Token& token, double a, double b) {
  alignas(64) double left[LANES], right[LANES], out[LANES];
  std::fill_n(left, LANES, a), std::fill_n(right, LANES, b);
  if (token.own != nullptr)
    return token.own->value(out, left, token.arity == 2 ? right : nullptr, LANES) ? out[0] : NAN;
  kernels().value[static_cast<int>(token.op)](out, left, right, LANES);
  return out[0];
}

// A subtree. The scan goes from right to left, so in prefix order the operands of a token come first.
struct Part {
  bool is_constant_only;
  double value;
};

}  // namespace

Formula fold_constants(const Vocabulary& vocabulary, const Formula& formula) {
  Formula reversed;
  std::vector<Part> parts;  // the complete subtrees to the right, the nearest one last
  auto next_constant = formula.constants.rbegin();
  auto put_constant = [&](double value) {
    reversed.tokens.push_back(vocabulary.constant());
    reversed.constants.push_back(value);
  };
  for (auto token = formula.tokens.rbegin(); token != formula.tokens.rend(); ++token) {
    const Token& kind = vocabulary[*token];
    if (kind.arity == 0) {
      const double value = kind.kind == Kind::Constant ? *next_constant++ : 1.0;
      parts.push_back({kind.kind != Kind::Variable, value});
      reversed.tokens.push_back(*token);
      if (kind.kind == Kind::Constant) reversed.constants.push_back(value);
      continue;
    }
    const Part first = parts.back();
    const Part second = kind.arity == 2 ? parts[parts.size() - 2] : first;
    parts.resize(parts.size() - static_cast<std::size_t>(kind.arity));
    // A folded operand is a single token, so the operands to replace are the last `arity` tokens.
    bool is_foldable = !vocabulary.is_template(*token) && first.is_constant_only && second.is_constant_only &&
                       vocabulary.constant() >= 0;
    double value = 0.0;
    if (is_foldable) {
      value = kernel_value(kind, first.value, second.value);
      is_foldable = std::isfinite(value);
    }
    parts.push_back({is_foldable, value});
    if (!is_foldable) {
      reversed.tokens.push_back(*token);
      continue;
    }
    for (int k = 0; k < kind.arity; ++k) {
      if (vocabulary.is_constant(reversed.tokens.back())) reversed.constants.pop_back();
      reversed.tokens.pop_back();
    }
    put_constant(value);
  }
  std::reverse(reversed.tokens.begin(), reversed.tokens.end());
  std::reverse(reversed.constants.begin(), reversed.constants.end());
  return reversed;
}

}  // namespace ddsr

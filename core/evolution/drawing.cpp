#include "evolution/drawing.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "grammar/partial_tree.hpp"

namespace ddsr {

namespace {

// Common exponents, the square most often.
constexpr std::array EXPONENTS{2.0, 2.0, 2.0, 3.0, 0.5, -1.0, 4.0, -2.0, 1.5, -0.5};
constexpr double FREE_EXPONENT_RATE = 0.15;
constexpr std::array ROUND_CONSTANTS{1.0, 2.0, 0.5, -1.0};
// Rate of unary operators in random trees, and of constants among random leaves.
constexpr double UNARY_RATE = 0.2, CONSTANT_RATE = 0.15;
// Rate of the literal 1 among leaves without a variable, if the vocabulary has constants too.
constexpr double ONE_RATE = 0.2;

}  // namespace

void WeightedChoice::add(int choice, double weight) {
  if (!(weight > 0.0)) return;
  choices_.push_back(choice);
  cumulative_.push_back((cumulative_.empty() ? 0.0 : cumulative_.back()) + weight);
}

int WeightedChoice::draw(RandomSource& random) const {
  const double mark = random.uniform() * cumulative_.back();
  const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end() - 1, mark);
  return choices_[static_cast<std::size_t>(found - cumulative_.begin())];
}

Drawing::Drawing(const Vocabulary& vocabulary, const EvolutionOptions& options, std::vector<int> inputs)
    : vocabulary_(vocabulary), inputs_(std::move(inputs)), weights_(options.operator_weights) {
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id) {
    const double weight = options.operator_weights[static_cast<std::size_t>(vocabulary[id].op)];
    (vocabulary.arity(id) == 1 ? unary_ : binary_).add(id, weight);
  }
}

TokenId Drawing::find(Op op) const {
  return weights_[static_cast<std::size_t>(op)] > 0.0 ? vocabulary_.find(op) : static_cast<TokenId>(-1);
}

bool Drawing::is_power(TokenId id) const {
  return vocabulary_[id].kind == Kind::Operator && vocabulary_[id].op == Op::Pow;
}

double Drawing::constant(RandomSource& random) const {
  switch (random.below(3)) {
    case 0:
      return ROUND_CONSTANTS[static_cast<std::size_t>(random.below(ROUND_CONSTANTS.size()))];
    case 1:
      return 3.0 * random.normal();
    default:  // log-uniform from 0.01 to 100, with either sign
      return (random.chance(0.5) ? -1.0 : 1.0) * std::pow(10.0, 4.0 * random.uniform() - 2.0);
  }
}

double Drawing::exponent(RandomSource& random) const {
  if (random.chance(FREE_EXPONENT_RATE)) return 2.0 * random.normal();
  return EXPONENTS[static_cast<std::size_t>(random.below(EXPONENTS.size()))];
}

void Drawing::append_leaf(Formula& formula, RandomSource& random) const {
  const bool has_one = vocabulary_.one() >= 0, has_constant = vocabulary_.constant() >= 0;
  if ((has_one || has_constant) && random.chance(CONSTANT_RATE)) {
    if (has_one && (!has_constant || random.chance(ONE_RATE)))
      formula.tokens.push_back(vocabulary_.one());
    else
      append_constant(formula, random);
    return;
  }
  const int input = inputs_[static_cast<std::size_t>(random.below(static_cast<int>(inputs_.size())))];
  formula.tokens.push_back(static_cast<TokenId>(vocabulary_.first_variable() + input));
}

void Drawing::append_constant(Formula& formula, RandomSource& random) const {
  formula.tokens.push_back(vocabulary_.constant());
  formula.constants.push_back(constant(random));
}

void Drawing::append_exponent(Formula& formula, RandomSource& random) const {
  if (vocabulary_.constant() < 0) return append_leaf(formula, random);
  formula.tokens.push_back(vocabulary_.constant());
  formula.constants.push_back(exponent(random));
}

void Drawing::append_power(Formula& formula, TokenId power, int n_tokens, RandomSource& random) const {
  formula.tokens.push_back(power);
  append_tree(formula, n_tokens - 2, random);
  append_exponent(formula, random);
}

void Drawing::append_tree(Formula& formula, int n_tokens, RandomSource& random) const {
  const bool can_be_binary = n_tokens >= 3 && has_binary();
  if (n_tokens < 2 || !(can_be_binary || has_unary())) return append_leaf(formula, random);
  if (has_unary() && (!can_be_binary || random.chance(UNARY_RATE))) {
    formula.tokens.push_back(unary(random));
    return append_tree(formula, n_tokens - 1, random);
  }
  const TokenId id = binary(random);
  if (is_power(id)) return append_power(formula, id, n_tokens, random);
  const int n_first = random.between(1, n_tokens - 2);
  formula.tokens.push_back(id);
  append_tree(formula, n_first, random);
  append_tree(formula, n_tokens - 1 - n_first, random);
}

Formula draw_legal(const Grammar& grammar, RandomSource& random) {
  PartialTree tree(grammar);
  std::vector<TokenId> tokens, legal;
  std::vector<double> constants;
  while (!tree.is_complete()) {
    legal.clear();
    for_each_token(tree.legal(), grammar.n_words(), [&](TokenId id) { legal.push_back(id); });
    tokens.push_back(legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))]);
    if (grammar.vocabulary.is_constant(tokens.back())) constants.push_back(1.0);
    tree.place(tokens.back());
  }
  return formula_from_breadth_first(grammar.vocabulary, tokens, constants);
}

}  // namespace ddsr

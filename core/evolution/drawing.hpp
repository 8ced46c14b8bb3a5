// Random leaves, constants, operators and small trees, drawn by weight.
#pragma once

#include <array>
#include <vector>

#include "evolution/options.hpp"
#include "evolution/random_source.hpp"
#include "expression/formula.hpp"
#include "grammar/grammar.hpp"

namespace ddsr {

// Draws one of several numbers with probability proportional to its weight.
class WeightedChoice {
 public:
  void add(int choice, double weight);
  bool empty() const { return choices_.empty(); }
  int draw(RandomSource& random) const;

 private:
  std::vector<int> choices_;
  std::vector<double> cumulative_;
};

class Drawing {
 public:
  // `inputs` are the columns of the variables that may occur.
  Drawing(const Vocabulary& vocabulary, const EvolutionOptions& options, std::vector<int> inputs);

  bool has_unary() const { return !unary_.empty(); }
  bool has_binary() const { return !binary_.empty(); }
  TokenId unary(RandomSource& random) const { return static_cast<TokenId>(unary_.draw(random)); }
  TokenId binary(RandomSource& random) const { return static_cast<TokenId>(binary_.draw(random)); }

  // Append a variable, a constant or the literal 1; a constant; a constant exponent; a random tree.
  void append_leaf(Formula& formula, RandomSource& random) const;
  void append_constant(Formula& formula, RandomSource& random) const;
  void append_exponent(Formula& formula, RandomSource& random) const;
  void append_tree(Formula& formula, int n_tokens, RandomSource& random) const;

  bool is_power(TokenId id) const;
  // The token of an operator that may occur in formulas, or -1 if it is not in the vocabulary or has weight
  // 0.
  TokenId find(Op op) const;

 private:
  double constant(RandomSource& random) const;
  double exponent(RandomSource& random) const;
  void append_power(Formula& formula, TokenId power, int n_tokens, RandomSource& random) const;

  const Vocabulary& vocabulary_;
  const std::vector<int> inputs_;
  std::array<double, N_OPERATORS> weights_;
  WeightedChoice unary_, binary_;
};

// Draws an expression that obeys all rules, choosing each token uniformly from the legal ones. For grammars
// so strict that random trees hardly ever obey them.
Formula draw_legal(const Grammar& grammar, RandomSource& random);

}  // namespace ddsr

// Random leaves, constants, operators and small trees, drawn by weight.
#pragma once

#include <array>
#include <vector>

#include "evolution/options.hpp"
#include "evolution/random_source.hpp"
#include "expression/formula.hpp"
#include "grammar/grammar.hpp"

namespace ddsr {

// One of several numbers, each as often as its weight says; those of weight 0 never.
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
  Drawing(const Vocabulary& vocabulary, const EvolutionOptions& options);

  bool has_unary() const { return !unary_.empty(); }
  bool has_binary() const { return !binary_.empty(); }
  TokenId unary(RandomSource& random) const { return static_cast<TokenId>(unary_.draw(random)); }
  TokenId binary(RandomSource& random) const { return static_cast<TokenId>(binary_.draw(random)); }

  // Behind the end of a formula: a variable, a constant or the literal 1; a constant exponent; a tree.
  void append_leaf(Formula& formula, RandomSource& random) const;
  void append_exponent(Formula& formula, RandomSource& random) const;
  void append_tree(Formula& formula, int n_tokens, RandomSource& random) const;

  bool is_power(TokenId id) const;
  // The token of an operator that may be put into formulas; -1 where it is not in the vocabulary or weighs
  // nothing.
  TokenId find(Op op) const;

 private:
  double constant(RandomSource& random) const;
  double exponent(RandomSource& random) const;
  void append_power(Formula& formula, TokenId power, int n_tokens, RandomSource& random) const;

  const Vocabulary& vocabulary_;
  std::array<double, N_OPERATORS> weights_;
  WeightedChoice unary_, binary_;
};

// An expression that obeys all rules, each token drawn evenly from the legal ones: for grammars so strict
// that trees drawn freely hardly ever do.
Formula draw_legal(const Grammar& grammar, RandomSource& random);

}  // namespace ddsr

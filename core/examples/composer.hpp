// Formulas as people write them: products of powers, sums of similar terms, functions of products and ratios.
//
// A composition uses each of its given leaves, variables in random order, exactly once. Only their
// combination is random, so the number of uses of each variable is known in advance.
#pragma once

#include <span>

#include "evolution/random_source.hpp"
#include "examples/draft.hpp"

namespace ddsr {

class Composer {
 public:
  using Leaves = std::span<const int>;

  Composer(Draft& draft, RandomSource& random) : draft_(draft), random_(random) {}

  // Appends a formula of these variables to the draft.
  void compose(Leaves leaves) { any(leaves, 0); }

 private:
  // composer.cpp
  void any(Leaves leaves, int depth);
  void leaf(int variable);
  void product(Leaves leaves, int depth);
  void sum(Leaves leaves, int depth);
  void factor(Leaves leaves, int depth);
  void monomial(Leaves leaves);
  void argument(Leaves leaves, int depth);
  void function(Leaves leaves, int depth);
  void coefficient(double rate);
  void one_or_constant();
  Op drawn_function();
  std::vector<Leaves> split(Leaves leaves, double lone_rate, int most);

  // motifs.cpp
  void motif(Leaves leaves, int depth);
  void shape_of(int shape, Leaves leaves, int depth);
  void complement(double minus_rate, double coefficient_rate, Leaves leaves, int depth);
  void share(Leaves first, Leaves second);
  void contrast(Leaves first, Leaves second);
  void growth(Leaves leaves, int depth);
  void damping(Leaves first, Leaves second, int depth);
  void repeated(Leaves leaves, int depth);
  void alike_term(int pattern, Leaves leaves, double exponent);
  void polynomial(Leaves leaves);

  Draft& draft_;
  RandomSource& random_;
  bool is_periodic_ = false;  // below sin or cos, where no other one is allowed
};

}  // namespace ddsr

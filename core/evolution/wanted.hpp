// The values that a place in an expression should have for the whole to be the target.
//
// The target is carried from the root down to the place through the inverse of each operator, and each row
// weighed by how much it matters there to the whole.
#pragma once

#include <vector>

#include "engine/dataset.hpp"
#include "engine/evaluate.hpp"
#include "expression/formula.hpp"

namespace ddsr {

// What stands above an expression that is looked for: nothing, a function, or a power.
struct Wrapper {
  TokenId token = -1;
  double exponent = 0.0;
};

// Whether a factor, or a term, of what is at a place is one of the whole model, which has them anyway; a
// factor below a root is one only if it is positive.
struct Freedom {
  bool scale, offset, is_signed = true;
};

// Of an operator whose second operand, if it has one, is `exponent`: below it all must be positive.
bool is_root(Op op, double exponent);

class Wanted {
 public:
  Wanted(const Vocabulary& vocabulary, const Dataset& rows);

  // Takes the formula whose places are asked for; false where it is not finite.
  bool evaluate(const Formula& formula);
  // What its subtree at the token `begin` is on the rows.
  const double* values_at(int begin) const { return evaluator_.node_values(node_at(begin)); }

  // The formula itself shall be the target, less the offset and over the scale.
  void want(double scale, double offset);
  // From there to the token at `begin`; false where no operand could be said.
  bool carry_down(int begin, Freedom& freedom);
  // To an operand of one more operator beside which `other` stands, or below a wrapper.
  void carry_through(Op op, bool is_first, const double* other, const double* current);
  void carry_below(const Wrapper& wrapper);
  // Rows without a wanted value get no weight; false where too few are left.
  bool weigh();

  const double* values() const { return values_.data(); }
  const double* weights() const { return weights_.data(); }

 private:
  int node_at(int begin) const;
  void restrict(Freedom& freedom, const Node& above, bool is_first) const;

  const Vocabulary& vocabulary_;
  const Dataset& rows_;
  Evaluator evaluator_;
  Program program_;
  std::vector<int> order_, parents_;
  Buffer values_, weights_, constant_;
};

}  // namespace ddsr

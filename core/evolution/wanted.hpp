// The values that a place in an expression needs for the whole to equal the target.
//
// The target is carried from the root down to the place through the inverse of each operator. Each row is
// weighted by its effect on the whole.
#pragma once

#include <vector>

#include "engine/dataset.hpp"
#include "engine/evaluate.hpp"
#include "expression/formula.hpp"
#include "grammar/units.hpp"

namespace ddsr {

// What stands above the unknown expression: nothing, a function, or a power.
struct Wrapper {
  TokenId token = -1;
  double exponent = 0.0;
};

// The unit below a wrapper whose result has this one; nothing if no unit will do.
std::optional<Unit> unit_below(const Vocabulary& vocabulary, const Wrapper& wrapper, const Unit& unit);

// Whether the model's own scale and offset cover a factor or an added constant at a place. Below a root, a
// factor is covered only if it is positive.
struct Freedom {
  bool scale, offset, is_signed = true;
};

// Whether the operator is a root, whose operand must be positive; `exponent` is its second operand, if any.
bool is_root(Op op, double exponent);

class Wanted {
 public:
  Wanted(const Vocabulary& vocabulary, const Dataset& rows);

  // Loads the formula whose places are asked for. Returns false if it is not finite.
  bool evaluate(const Formula& formula);
  // The values of the subtree that begins at token `begin`.
  const double* values_at(int begin) const { return evaluator_.node_values(node_at(begin)); }

  // Sets the wanted values of the root: (target - offset) / scale.
  void want(double scale, double offset);
  // Carries them down to the token at `begin`. Returns false if there is no inverse on the way.
  bool carry_down(int begin, Freedom& freedom);
  // Carries them through one more operator whose other operand is `other`, or through a wrapper.
  void carry_through(Op op, bool is_first, const double* other, const double* current);
  void carry_below(const Wrapper& wrapper);
  // Gives weight 0 to rows without a wanted value. Returns false if too few rows are left.
  bool weigh();

  const double* values() const { return values_.data(); }
  const double* weights() const { return weights_.data(); }

 private:
  int node_at(int begin) const;
  bool is_unique(int begin) const;
  void restrict(Freedom& freedom, const Node& above, bool is_first) const;

  const Vocabulary& vocabulary_;
  const Dataset& rows_;
  Evaluator evaluator_;
  Program program_;
  std::vector<int> order_, parents_;
  Buffer values_, weights_, constant_;
};

}  // namespace ddsr

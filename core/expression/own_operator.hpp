// An operator that a vocabulary defines: a formula (engine/formula_operator.hpp) or a Python function
// (bindings/function_operator.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "expression/operators.hpp"

namespace ddsr {

// Pointers are aligned to 64 bytes, and `n` is a multiple of LANES, as for the kernels (kernels/kernels.hpp).
// The results do not overlap the operands. `b` is null for an operator of one operand. Several threads may
// call at once.
class OwnOperator {
 public:
  OwnOperator() = default;
  OwnOperator(const OwnOperator&) = delete;
  OwnOperator& operator=(const OwnOperator&) = delete;
  virtual ~OwnOperator() = default;

  // out = op(a, b). Returns whether all values on the way are finite, so that `out` has only to be checked
  // itself.
  virtual bool value(double* out, const double* a, const double* b, int n) const = 0;

  // out = adjoint * d op(a, b)/da, or /db for the second operand
  virtual void slope(double* out, const double* adjoint, const double* a, const double* b, bool of_second,
                     int n) const = 0;
};

// By their place among the own operators of the table.
using OwnOperators = std::vector<std::shared_ptr<const OwnOperator>>;

// Null for operators of the table, and for those that are not defined.
inline const OwnOperator* definition_of(const OwnOperators& own, Op op) {
  const std::size_t place = static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::Own1);
  return is_own(op) && place < own.size() ? own[place].get() : nullptr;
}

}  // namespace ddsr

// An operator that is a Python function.
#pragma once

#include "bindings/bindings.hpp"
#include "expression/own_operator.hpp"

namespace ddsr {

// Arrays go to Python and back, with the GIL, so it is much slower than a formula. Where the function raises
// an exception, its values are undefined.
class FunctionOperator final : public OwnOperator {
 public:
  // values(a) or values(a, b), and slopes(0, ...) or slopes(1, ...) for the derivative by an operand, each
  // from arrays to a contiguous array of as many doubles.
  FunctionOperator(nb::object values, nb::object slopes);
  ~FunctionOperator() override;

  bool value(double* out, const double* a, const double* b, int n) const override;
  void slope(double* out, const double* adjoint, const double* a, const double* b, bool of_second,
             int n) const override;

 private:
  nb::object values_, slopes_;
};

}  // namespace ddsr

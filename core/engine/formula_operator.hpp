// An operator that is defined by a formula of its operands, such as 1 / (1 + x^2).
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/program.hpp"
#include "expression/own_operator.hpp"
#include "kernels/kernels.hpp"
#include "kernels/memory.hpp"

namespace ddsr {

class FormulaOperator final : public OwnOperator {
 public:
  // The nodes are in prefix order and have no holes; variables are the operands by number. `known` has the
  // operators that the formula may use besides those of the table.
  FormulaOperator(std::span<const Template::Node> nodes, int n_operands, OwnOperators known);
  ~FormulaOperator() override;

  bool value(double* out, const double* a, const double* b, int n) const override;
  void slope(double* out, const double* adjoint, const double* a, const double* b, bool of_second,
             int n) const override;

 private:
  struct Memory;
  class Loan;

  void place(Memory& memory, bool keeps_values, double* root, const double* a, const double* b, int n) const;
  bool compute(const Memory& memory, int node, int n) const;

  const Kernels& kernels_;
  const OwnOperators known_;
  const Program program_;
  std::vector<int> depends_on_;  // for each node, a bit for each operand
  mutable std::mutex lock_;
  mutable std::vector<std::unique_ptr<Memory>> idle_;  // of threads that have finished a call
};

}  // namespace ddsr

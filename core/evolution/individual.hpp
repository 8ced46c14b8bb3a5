// A formula of a population with the results of its fit.
#pragma once

#include <cmath>
#include <cstdint>

#include "expression/formula.hpp"

namespace ddsr {

// NRMSEs below this are rounding errors; none is better than another.
inline constexpr double LEAST_NRMSE = 1e-15;

inline double log_loss_of(double nrmse) { return std::log(nrmse > LEAST_NRMSE ? nrmse : LEAST_NRMSE); }

struct Individual {
  Formula formula;
  double log_loss = 0.0;             // log(NRMSE) on the fitting rows
  double scale = 1.0, offset = 0.0;  // the model is scale * formula + offset
  std::uint64_t birth = 0;           // the step of its island
  std::uint64_t structure = 0;       // structure_hash of its formula

  int size() const { return static_cast<int>(formula.tokens.size()); }
};

// Equal for formulas that differ only in the order of operands and in constants. Integer exponents belong to
// the structure: over negative bases no fit gets from x^2 to x^3. `breadth_first` is the formula in that
// order.
std::uint64_t structure_hash(const Vocabulary& vocabulary, const Formula& breadth_first);

}  // namespace ddsr

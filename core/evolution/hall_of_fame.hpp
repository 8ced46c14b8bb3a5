// The best formulas found, by size: a Pareto front of the number of tokens and the error on all rows.
#pragma once

#include <utility>
#include <vector>

#include "evolution/individual.hpp"

namespace ddsr {

struct Famous {
  Individual individual;
  double nrmse;  // on all rows

  double log_nrmse() const { return log_loss_of(nrmse); }
};

class HallOfFame {
 public:
  HallOfFame() = default;
  explicit HallOfFame(std::vector<Famous> entries) : entries_(std::move(entries)) {}

  // Whether a formula of this size and loss on the fitting rows is worth judging on all rows.
  bool is_promising(int size, double log_loss) const;

  // The NRMSE below which a formula of this size enters.
  double bar(int size) const;

  // Adds the formula if it is better than all that are not larger, and removes those that it dominates.
  // Returns whether it entered.
  bool enter(const Famous& famous);

  // Smallest first; each is better than all before it.
  const std::vector<Famous>& entries() const { return entries_; }
  // Whether some error is below `exact`, on more rows than its constants alone could fit.
  bool has_exact(double exact, double n_rows) const;

 private:
  std::vector<Famous> entries_;
};

}  // namespace ddsr

// The best that was found, by size: a Pareto front of tokens against the error on all rows.
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
  // With the `entries` of another.
  explicit HallOfFame(std::vector<Famous> entries) : entries_(std::move(entries)) {}

  // Whether a formula of so many tokens and such a loss on the fitting rows is worth a look at all rows.
  bool is_promising(int size, double log_loss) const;

  // The NRMSE that one of so many tokens has to be below to enter.
  double bar(int size) const;

  // Takes it in if it is better than everything that is no larger, and drops what it is better than.
  bool enter(const Famous& famous);

  // smallest first, each better than those before it
  const std::vector<Famous>& entries() const { return entries_; }
  // Whether some error is below `exact` on more rows than any constants could meet one by one.
  bool has_exact(double exact, double n_rows) const;

 private:
  std::vector<Famous> entries_;
};

}  // namespace ddsr

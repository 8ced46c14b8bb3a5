// Formulas that the few fitting rows cannot distinguish from the best, judged on many more rows.
//
// Near the noise, differences between formulas of one size are smaller than a hundred rows can show, and the
// hall of fame, which keeps one per size, would hold whichever was lucky. The shortlist keeps all that may
// turn out to have the shortest description.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "evolution/individual.hpp"

namespace ddsr {

struct Listed {
  Individual individual;  // its constants are fitted on many rows, its loss is that on the fitting rows
  double nrmse;           // on the many rows
  double length;          // nats for the data, the structure and the constants
};

// The length of a formula's description in nats, without its structure.
struct Price {
  double n_rows;        // of all data, without rows of weight 0
  double per_constant;  // half the log of n_rows, plus the size of the constant

  double of_data(double log_loss) const { return n_rows * log_loss; }
  double of_constants(const Formula& formula) const {
    return per_constant * static_cast<double>(formula.constants.size());
  }
};

class Shortlist {
 public:
  static constexpr std::size_t CAPACITY = 150;

  Shortlist() = default;
  explicit Shortlist(std::vector<Listed> entries) : entries_(std::move(entries)) {}

  // The length of the best entry, computed from its loss on the fitting rows; very large if there is none.
  double length_to_beat(const Price& price) const;

  // Whether a formula of this structure is listed.
  bool has(std::uint64_t structure) const;

  // Keeps the `CAPACITY` shortest, at most one per structure.
  void enter(const Listed& listed);

  // Shortest first.
  const std::vector<Listed>& entries() const { return entries_; }

 private:
  std::vector<Listed> entries_;
};

}  // namespace ddsr

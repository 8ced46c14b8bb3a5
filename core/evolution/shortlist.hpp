// Formulas that the few fitting rows cannot tell from the best, judged on many more rows.
//
// Near the noise, formulas of one size differ by less than a hundred rows can show, and the hall of fame,
// which has one of each size, would hold whichever was lucky. Here all of them are kept that may turn out to
// have the shortest description.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "evolution/individual.hpp"

namespace ddsr {

struct Listed {
  Individual individual;  // its constants are those of the many rows, its loss is that on the fitting rows
  double nrmse;           // on the many rows
  double length;          // nats: of the data, the structure and the constants
};

// What a formula takes in nats, beside its structure.
struct Price {
  double n_rows;        // of all data, those of weight 0 not counted
  double per_constant;  // half the log of the rows, and its size

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

  // The length that the best entry has by the fitting rows alone; very large if there is none.
  double length_to_beat(const Price& price) const;

  // Whether its structure is listed already.
  bool has(std::uint64_t structure) const;

  // Keeps the `CAPACITY` shortest, one of each structure.
  void enter(const Listed& listed);

  // the shortest first
  const std::vector<Listed>& entries() const { return entries_; }

 private:
  std::vector<Listed> entries_;
};

}  // namespace ddsr

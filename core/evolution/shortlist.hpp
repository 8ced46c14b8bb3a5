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
  double length;          // nats: of the data, the tokens and the constants
};

// What a formula costs, in nats.
struct Price {
  double n_rows;        // of all data, those of weight 0 not counted
  double per_token;     // log of the vocabulary's size
  double per_constant;  // half the log of the rows

  double operator()(const Formula& formula, double log_loss) const {
    return n_rows * log_loss + per_token * static_cast<double>(formula.tokens.size()) +
           per_constant * static_cast<double>(formula.constants.size());
  }
};

class Shortlist {
 public:
  Shortlist() = default;
  explicit Shortlist(std::vector<Listed> entries) : entries_(std::move(entries)) {}

  // By how much an individual is worse than the best entry, in nats by the fitting rows; below 0: better.
  double behind(const Individual& individual, const Price& price) const;

  // Whether its structure is listed already.
  bool has(std::uint64_t structure) const;

  // Keeps the `capacity` shortest, one of each structure.
  void enter(const Listed& listed, std::size_t capacity);

  // the shortest first
  const std::vector<Listed>& entries() const { return entries_; }

 private:
  std::vector<Listed> entries_;
};

}  // namespace ddsr

// Fits the constants of children and offers them to the hall of fame and the shortlist. Each island has one.
#pragma once

#include <optional>

#include "engine/judge.hpp"
#include "evolution/hall_of_fame.hpp"
#include "evolution/problem.hpp"

namespace ddsr {

// A formula in prefix order and in breadth-first order.
struct Child {
  Formula formula;
  Formula breadth_first;
};

class Assessor {
 public:
  explicit Assessor(const Problem& problem);

  // Returns the child with fitted constants, or nothing if a value is not finite on the fitting rows or a
  // constant is out of range.
  std::optional<Individual> assess(const Child& child);

  // Fits an individual further and judges it on all rows if it may enter the hall of fame. True if it did.
  bool offer(Individual& individual, HallOfFame& hall, const Deadline& deadline);

  // Fits the individual on many rows if the shortlist may accept it. This costs 1 of `credit`, unless the
  // individual is far better than the best on the fitting rows.
  void list(const Individual& individual, Shortlist& shortlist, double& credit);

  // Fits a seed on many rows. Seeds are few, and the right one may look worse on the fitting rows than what
  // evolution has selected there.
  void list_seed(const Individual& individual, Shortlist& shortlist);

 private:
  double log_loss(const Fit& fit, const Dataset& data) const;
  bool has_excess(const Fit& fit) const;
  Program program_of(const Formula& breadth_first) const;

  const Problem& problem_;
  Fitter fitter_, polisher_, lister_;
  Judge judge_;
};

}  // namespace ddsr

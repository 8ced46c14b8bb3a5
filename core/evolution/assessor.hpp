// Fits a child's constants, and tells whether it belongs in the hall of fame; one for each island.
#pragma once

#include <optional>

#include "engine/judge.hpp"
#include "evolution/hall_of_fame.hpp"
#include "evolution/problem.hpp"

namespace ddsr {

// A formula in both orders.
struct Child {
  Formula formula;
  Formula breadth_first;
};

class Assessor {
 public:
  explicit Assessor(const Problem& problem);

  // The child with its constants fitted; none where some value is not finite on the fitting rows, or a
  // constant out of range.
  std::optional<Individual> assess(const Child& child);

  // Fits further and looks at all rows where the hall of fame may want the individual; true if it took it.
  bool offer(Individual& individual, HallOfFame& hall, const Deadline& deadline);

  // Fits on many rows what the shortlist may want, for one of `credit`; what the fitting rows say is far
  // better than the best costs none.
  void list(const Individual& individual, Shortlist& shortlist, double& credit);

 private:
  double log_loss(const Fit& fit, const Dataset& data) const;
  bool has_excess(const Fit& fit) const;

  const Problem& problem_;
  Fitter fitter_, polisher_, lister_;
  Judge judge_;
};

}  // namespace ddsr

#include "evolution/assessor.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

// The fit of a child ends when a step lowers the sum of squares by less than this share.
constexpr double CHILD_TOLERANCE = 1e-6;
// A candidate for the hall of fame is fitted more exactly.
constexpr int POLISH_STEPS = 30;
constexpr double POLISH_TOLERANCE = 1e-12;
// For the shortlist, fits start from constants that are nearly right.
constexpr int LISTING_STEPS = 8;
constexpr double LISTING_TOLERANCE = 1e-7;
// In nats. A candidate is not fitted if its description is longer than the shortest one by more than
// LEAST_SLACK + n_rows * SLACK_OF_ERROR.
constexpr double LEAST_SLACK = 10.0;
constexpr double SLACK_OF_ERROR = 0.03;
// Number of lines of each grid on which the values of a child are checked; those of a listed formula are
// checked on all.
constexpr std::size_t FEW_LINES = 4;
// In log(NRMSE). A child whose values fail a check may breed, since what lies between it and a formula that
// passes may fail as well, but it counts as worse than it is.
constexpr double LOSS_OF_FAILURE = 0.7;

FitOptions fit_options(const EvolutionOptions& evolution, int max_steps, double tolerance) {
  FitOptions options;
  options.max_steps = max_steps;
  options.tolerance = tolerance;
  options.is_scale_free = evolution.is_scale_free;
  return options;
}

FitOptions child_options(const EvolutionOptions& evolution) {
  FitOptions options = fit_options(evolution, evolution.fit_steps, CHILD_TOLERANCE);
  options.most_lines = FEW_LINES;
  return options;
}

void take_over(Individual& individual, const Vocabulary& vocabulary, const Formula& breadth_first,
               const Fit& fit) {
  individual.formula = formula_from_breadth_first(vocabulary, breadth_first.tokens, fit.constants);
  individual.scale = fit.scale, individual.offset = fit.offset;
}

}  // namespace

Assessor::Assessor(const Problem& problem)
    : problem_(problem),
      fitter_(problem.fitting, child_options(problem.options)),
      polisher_(problem.fitting, fit_options(problem.options, POLISH_STEPS, POLISH_TOLERANCE)),
      lister_(problem.listing, fit_options(problem.options, LISTING_STEPS, LISTING_TOLERANCE)),
      judge_(problem.scoring) {}

// The spread is taken over all rows, because the target may be constant on the few fitting rows.
double Assessor::log_loss(const Fit& fit, const Dataset& data) const {
  return log_loss_of(data.error(fit.squares) / problem_.scoring.spread());
}

// Refuses huge constants, which can cancel and so approximate any smooth function, and tiny ones: sin(1e-9 x)
// is just x.
bool Assessor::has_excess(const Fit& fit) const {
  return std::any_of(fit.constants.begin(), fit.constants.end(), [&](double value) {
    const double size = std::fabs(value), range = problem_.options.constant_range;
    return !(size <= range && (size == 0.0 || size * range >= 1.0));
  });
}

Program Assessor::program_of(const Formula& breadth_first) const {
  const Units* units = problem_.units();
  if (units == nullptr) return compile(problem_.vocabulary(), breadth_first.tokens);
  return compile(
      problem_.vocabulary(), breadth_first.tokens,
      fixed_by_units(problem_.vocabulary(), *units, breadth_first.tokens, breadth_first.constants));
}

std::optional<Individual> Assessor::assess(const Child& child) {
  const Program program = program_of(child.breadth_first);
  const Fit fit = fitter_.fit(program, child.breadth_first.constants, 0);
  if (fit.status == FitStatus::NonFinite || has_excess(fit)) return {};
  Individual individual;
  take_over(individual, problem_.vocabulary(), child.breadth_first, fit);
  individual.log_loss = log_loss(fit, problem_.fitting) + (fit.is_allowed ? 0.0 : LOSS_OF_FAILURE);
  return individual;
}

bool Assessor::offer(Individual& individual, HallOfFame& hall, const Deadline& deadline) {
  if (!hall.is_promising(individual.size(), individual.log_loss)) return false;
  const Formula breadth_first = breadth_first_of(problem_.vocabulary(), individual.formula);
  const Program program = program_of(breadth_first);
  const Fit fit = polisher_.fit(program, breadth_first.constants, 0);
  if (fit.status == FitStatus::NonFinite || !fit.is_allowed || has_excess(fit)) return false;
  take_over(individual, problem_.vocabulary(), breadth_first, fit);
  individual.log_loss = log_loss(fit, problem_.fitting);
  const double nrmse = judge_.nrmse(program, fit, hall.bar(individual.size()), deadline);
  return std::isfinite(nrmse) && hall.enter({individual, nrmse});
}

void Assessor::list(const Individual& individual, Shortlist& shortlist, double& credit) {
  const Price price = problem_.price();
  const double to_beat = shortlist.length_to_beat(price);
  const double slack = LEAST_SLACK + price.n_rows * SLACK_OF_ERROR;
  // Price the structure last: most candidates are too long without it.
  const double at_least = price.of_data(individual.log_loss) + price.of_constants(individual.formula);
  if (at_least > to_beat + slack || shortlist.has(individual.structure)) return;
  const double behind = problem_.length(individual.formula, individual.log_loss) - to_beat;
  if (behind > slack) return;
  if (behind > -slack) {
    if (credit < 1.0) return;
    credit -= 1.0;
  }
  list_seed(individual, shortlist);
}

void Assessor::list_seed(const Individual& individual, Shortlist& shortlist) {
  if (shortlist.has(individual.structure)) return;
  const Formula breadth_first = breadth_first_of(problem_.vocabulary(), individual.formula);
  const Program program = program_of(breadth_first);
  const Fit fit = lister_.fit(program, breadth_first.constants, 0);
  if (fit.status == FitStatus::NonFinite || !fit.is_allowed || has_excess(fit)) return;
  Listed listed{individual, 0.0, 0.0};
  take_over(listed.individual, problem_.vocabulary(), breadth_first, fit);
  listed.nrmse = std::exp(log_loss(fit, problem_.listing));
  listed.length = problem_.length(listed.individual.formula, log_loss_of(listed.nrmse));
  shortlist.enter(listed);
}

}  // namespace ddsr

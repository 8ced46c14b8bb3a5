#include "evolution/hall_of_fame.hpp"

#include <algorithm>
#include <limits>

namespace ddsr {

namespace {

// In log(NRMSE). A larger formula must be better than a smaller one by this much, which is more than
// rounding.
constexpr double LEAST_GAIN = 1e-6;
// Losses on the fitting rows that differ by less belong to one function in two notations.
constexpr double SAME_FUNCTION = 1e-9;
// For an exact fit, the rows must outnumber the constants by this many: the model's scale and offset, and two
// more, since a fit of fewer rows could be luck.
constexpr double N_SPARE_ROWS = 4.0;

}  // namespace

bool HallOfFame::is_promising(int size, double log_loss) const {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Famous& famous) {
    if (famous.individual.size() > size) return true;
    return log_loss < famous.log_nrmse() && std::fabs(log_loss - famous.individual.log_loss) > SAME_FUNCTION;
  });
}

bool HallOfFame::has_exact(double exact, double n_rows) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Famous& famous) {
    const double n_constants = static_cast<double>(famous.individual.formula.constants.size());
    return famous.nrmse < exact && n_constants + N_SPARE_ROWS <= n_rows;
  });
}

double HallOfFame::bar(int size) const {
  double bar = std::numeric_limits<double>::infinity();
  for (const Famous& famous : entries_) {
    if (famous.individual.size() > size) break;
    const bool is_smaller = famous.individual.size() < size;
    bar = std::min(bar, is_smaller ? famous.nrmse * (1.0 - LEAST_GAIN) : famous.nrmse);
  }
  return bar;
}

bool HallOfFame::enter(const Famous& famous) {
  const int size = famous.individual.size();
  const double bar_here = bar(size);
  const bool is_rounding = bar_here <= LEAST_NRMSE;
  if (!(famous.nrmse < bar_here) || is_rounding) return false;
  std::erase_if(entries_, [&](const Famous& other) {
    return other.individual.size() >= size && other.nrmse >= famous.nrmse;
  });
  const auto place = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Famous& other) { return other.individual.size() > size; });
  entries_.insert(place, famous);
  return true;
}

}  // namespace ddsr

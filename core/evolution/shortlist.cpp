#include "evolution/shortlist.hpp"

#include <algorithm>
#include <cmath>

namespace ddsr {

namespace {

// Relative errors that differ by less belong to one function in two notations.
constexpr double SAME_FUNCTION = 1e-6;

}  // namespace

double Shortlist::length_to_beat(const Price& price) const {
  if (entries_.empty()) return 1e300;
  const Listed& best = entries_.front();
  return best.length + price.of_data(best.individual.log_loss) - price.of_data(log_loss_of(best.nrmse));
}

bool Shortlist::has(std::uint64_t structure) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Listed& other) { return other.individual.structure == structure; });
}

void Shortlist::enter(const Listed& listed) {
  const auto twin = std::find_if(entries_.begin(), entries_.end(), [&](const Listed& other) {
    return other.individual.structure == listed.individual.structure ||
           std::fabs(other.nrmse / listed.nrmse - 1.0) < SAME_FUNCTION;
  });
  if (twin != entries_.end()) {
    if (twin->length <= listed.length) return;
    entries_.erase(twin);
  }
  const auto place = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Listed& other) { return other.length > listed.length; });
  entries_.insert(place, listed);
  if (entries_.size() > CAPACITY) entries_.pop_back();
}

}  // namespace ddsr

#include "grammar/template_units.hpp"

#include <algorithm>
#include <utility>

namespace ddsr {

namespace {

// Below this, a factor or an exponent is 0.
constexpr double NOTHING = 1e-9;

bool is_zero(double value) { return std::fabs(value) <= NOTHING; }

}  // namespace

std::optional<Unit> value_of(const HoleSum& sum, HoleUnitsView of_holes, int except, double over) {
  for (std::size_t hole = 0; hole < sum.factors.size(); ++hole)
    if (static_cast<int>(hole) != except && !is_zero(sum.factors[hole]) && !of_holes[hole]) return {};
  return unit_with([&](std::size_t i) {
    double part = sum.parts[i];
    for (std::size_t hole = 0; hole < sum.factors.size(); ++hole)
      if (static_cast<int>(hole) != except && of_holes[hole])
        part += sum.factors[hole] * of_holes[hole]->parts[i];
    return part / over;
  });
}

std::optional<Unit> demanded_unit(const TemplateUnits& pattern, int hole, HoleUnitsView of_holes) {
  for (const HoleSum& law : pattern.laws) {
    const double factor = law.factors[static_cast<std::size_t>(hole)];
    if (is_zero(factor)) continue;
    if (std::optional<Unit> unit = value_of(law, of_holes, hole, -factor)) return unit;
  }
  return {};
}

// Eliminates the unknown units one by one; what is left must be 0.
bool can_agree(const TemplateUnits& pattern, HoleUnitsView of_holes) {
  std::vector<HoleSum> left = pattern.laws;
  for (HoleSum& law : left)
    for (std::size_t hole = 0; hole < of_holes.size(); ++hole) {
      if (!of_holes[hole]) continue;
      for (std::size_t i = 0; i < law.parts.size(); ++i)
        law.parts[i] += law.factors[hole] * of_holes[hole]->parts[i];
      law.factors[hole] = 0.0;
    }
  for (std::size_t hole = 0; hole < of_holes.size(); ++hole) {
    const auto found =
        std::ranges::find_if(left, [&](const HoleSum& law) { return !is_zero(law.factors[hole]); });
    if (found == left.end()) continue;
    const HoleSum pivot = std::move(*found);
    left.erase(found);
    for (HoleSum& law : left) {
      const double ratio = law.factors[hole] / pivot.factors[hole];
      for (std::size_t other = 0; other < of_holes.size(); ++other)
        law.factors[other] -= ratio * pivot.factors[other];
      for (std::size_t i = 0; i < law.parts.size(); ++i) law.parts[i] -= ratio * pivot.parts[i];
    }
  }
  return std::ranges::all_of(left,
                             [](const HoleSum& law) { return std::ranges::all_of(law.parts, is_zero); });
}

}  // namespace ddsr

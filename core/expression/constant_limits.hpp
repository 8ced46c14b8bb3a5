// What users demand of the values of constants.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddsr {

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool is_limited() const { return std::isfinite(low) || std::isfinite(high); }
  bool holds(double value) const { return value >= low && value <= high; }
  double nearest(double value) const { return std::min(std::max(value, low), high); }
};

// Exponents are the constant second operands of `pow`; all other constants lie in `range`.
struct ConstantLimits {
  Interval range, exponents;
  bool has_whole_exponents = false;

  bool is_limited() const { return range.is_limited() || exponents.is_limited() || has_whole_exponents; }

  bool holds(double value, bool is_exponent) const {
    if (!is_exponent) return range.holds(value);
    return exponents.holds(value) && !(has_whole_exponents && value != std::nearbyint(value));
  }

  // The nearest value that holds. Whole numbers must exist within the range of exponents.
  double nearest(double value, bool is_exponent) const {
    if (!is_exponent) return range.nearest(value);
    if (!has_whole_exponents) return exponents.nearest(value);
    const Interval whole{std::ceil(exponents.low), std::floor(exponents.high)};
    return whole.nearest(std::nearbyint(value));
  }
};

}  // namespace ddsr

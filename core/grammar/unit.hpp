// A unit as a vector of exponents of base dimensions, such as (1, 0, -2) for kg s^-2.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ddsr {

struct Unit {
  static constexpr int N_DIMENSIONS = 8;
  // Exponents are multiples of 1/60: halves, thirds, quarters, fifths and sixths.
  static constexpr int PARTS = 60, MOST_PARTS = 30'000;
  // Relative difference below which an exponent is the multiple of 1/60 beside it.
  static constexpr double SAME_EXPONENT = 1e-9;

  std::array<std::int16_t, N_DIMENSIONS> parts{};

  auto operator<=>(const Unit&) const = default;
  bool is_number() const { return *this == Unit{}; }
};

// The unit with these parts; nothing if an exponent is not a multiple of 1/60, or too large.
template <typename PartOf>
std::optional<Unit> unit_with(PartOf part_of) {
  Unit unit;
  for (std::size_t i = 0; i < unit.parts.size(); ++i) {
    const double part = part_of(i), whole = std::nearbyint(part);
    if (!(std::fabs(part - whole) <= Unit::SAME_EXPONENT * Unit::PARTS) ||
        std::fabs(whole) > Unit::MOST_PARTS)
      return {};
    unit.parts[i] = static_cast<std::int16_t>(whole);
  }
  return unit;
}

}  // namespace ddsr

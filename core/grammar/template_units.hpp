// The units of what fills the holes of a template.
//
// In its units, a template is a set of linear equations on those of its holes. Python solves it once
// (src/ddsr/estimator/template_units.py): what is left are laws on the unknown functions, and the units of
// the template's constants, which may take any unit, as functions of these.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "grammar/unit.hpp"

namespace ddsr {

// Sums of the holes' exponents, each times a factor, and of `parts`.
struct HoleSum {
  std::vector<double> factors;  // for each hole
  std::array<double, Unit::N_DIMENSIONS> parts{};
};

struct TemplateUnits {
  // Each of these sums must be 0. The last hole with a factor other than 0 is in no other law, so that holes
  // can be filled one after another.
  std::vector<HoleSum> laws;
  // The unit of each constant of the template; nothing where it may have any.
  std::vector<std::optional<HoleSum>> constants;
};

using HoleUnitsView = std::span<const std::optional<Unit>>;

// The value of a sum as a unit, without the hole `except`; nothing if the unit of a hole is not known.
std::optional<Unit> value_of(const HoleSum& sum, HoleUnitsView of_holes, int except = -1, double over = 1.0);

// The unit that a law demands of a hole, given those of others; nothing if no law does.
std::optional<Unit> demanded_unit(const TemplateUnits& pattern, int hole, HoleUnitsView of_holes);

// Whether units for the holes that have none would fulfil all laws.
bool can_agree(const TemplateUnits& pattern, HoleUnitsView of_holes);

}  // namespace ddsr

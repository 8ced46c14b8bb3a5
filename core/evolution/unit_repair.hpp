// Makes formulas consistent in their units.
//
// Moves know nothing of units. Where their results do not agree, a part is multiplied or divided by an entry
// of the dictionary that has the missing unit, or a leaf is replaced by one; simple entries are likelier.
#pragma once

#include <optional>

#include "evolution/dictionary.hpp"
#include "evolution/drawing.hpp"
#include "grammar/units.hpp"

namespace ddsr {

class UnitRepair {
 public:
  // `units` must outlive this.
  UnitRepair(const Vocabulary& vocabulary, const Units& units, const Drawing& drawing,
             const Dictionary& dictionary)
      : vocabulary_(vocabulary), units_(units), drawing_(drawing), dictionary_(dictionary) {}

  struct Part {
    Formula formula;
    Unit unit;
  };
  using Wanted = std::optional<Unit>;  // nothing: any

  // Nothing if no entry has a unit that is missing.
  std::optional<Part> repaired(const Formula& formula, const Wanted& wanted, RandomSource& random) const;

 private:
  // Reads the subtree at `place` and moves `place` behind it.
  std::optional<Part> part(const Formula& formula, int& place, const Wanted& wanted,
                           RandomSource& random) const;
  std::optional<Part> of_operator(const Formula& formula, int& place, const Wanted& wanted,
                                  RandomSource& random) const;
  std::optional<Part> of_power(const Formula& formula, int& place, const Wanted& wanted,
                               RandomSource& random) const;
  std::optional<Part> with_unit(Part part, const Unit& wanted, RandomSource& random) const;
  std::optional<Formula> entry_of(const Unit& unit, RandomSource& random) const;
  static void append(Formula& out, const Formula& part);

  const Vocabulary& vocabulary_;
  const Units& units_;
  const Drawing& drawing_;
  const Dictionary& dictionary_;
};

}  // namespace ddsr

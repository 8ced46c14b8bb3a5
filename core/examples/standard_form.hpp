// The form in which training examples are written: as far as the rules reach, one for all notations of a
// function.
#pragma once

#include <optional>

#include "expression/formula.hpp"
#include "simplify/simplify.hpp"

namespace ddsr {

// Simplifies, removes the free scale and offset and writes in the order of writing.hpp until nothing changes,
// so a standard form stays as it is. Returns nothing if that takes more than a few rounds or a constant is
// not finite. Reuses its memory; each thread has its own.
class Standardizer {
 public:
  explicit Standardizer(const Vocabulary& vocabulary) : vocabulary_(vocabulary), simplifier_(vocabulary) {}

  // Both formulas are in prefix order. If signs of the variables are given, they are equal only on rows with
  // these signs.
  std::optional<Formula> standard_form(const Formula& formula, const std::vector<Sign>& signs);

 private:
  const Vocabulary& vocabulary_;
  Simplifier simplifier_;
};

}  // namespace ddsr

// The form in which training examples are written: one for all ways to write a function, as far as rules go.
#pragma once

#include <optional>

#include "expression/formula.hpp"
#include "simplify/simplify.hpp"

namespace ddsr {

// Simplifies, strips the free scale and offset and writes in the order of writing.hpp, until nothing changes;
// so a form that is standard stays as it is. Nothing where no standing form is found in a few rounds, or
// where a constant is not finite. Keeps its memory; one for each thread.
class Standardizer {
 public:
  explicit Standardizer(const Vocabulary& vocabulary) : vocabulary_(vocabulary), simplifier_(vocabulary) {}

  // Prefix to prefix. With signs of the variables, equal to the formula only on rows that have them.
  std::optional<Formula> standard_form(const Formula& formula, const std::vector<Sign>& signs);

 private:
  const Vocabulary& vocabulary_;
  Simplifier simplifier_;
};

}  // namespace ddsr

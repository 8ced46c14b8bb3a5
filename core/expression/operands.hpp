// The operands of a filled template as formulas of their own, so that moves change one at a time.
#pragma once

#include <vector>

#include "expression/formula.hpp"

namespace ddsr {

// The tokens [begin, end) of an operand.
struct Range {
  int begin, end;
  int size() const { return end - begin; }
};

std::vector<Range> operands_of(const Vocabulary& vocabulary, const Formula& filled);
Formula part_of(const Vocabulary& vocabulary, const Formula& formula, Range range);
// The formula with a range replaced.
Formula with_part(const Vocabulary& vocabulary, const Formula& formula, Range range, const Formula& part);

}  // namespace ddsr

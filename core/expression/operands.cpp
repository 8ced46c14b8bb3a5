#include "expression/operands.hpp"

namespace ddsr {

namespace {

std::ptrdiff_t constants_up_to(const Vocabulary& vocabulary, const Formula& formula, int end) {
  return constants_before(vocabulary, formula.tokens, end);
}

}  // namespace

std::vector<Range> operands_of(const Vocabulary& vocabulary, const Formula& filled) {
  std::vector<Range> ranges;
  for (int begin = 1; begin < static_cast<int>(filled.tokens.size()); begin = ranges.back().end)
    ranges.push_back({begin, subtree_end(vocabulary, filled.tokens, begin)});
  return ranges;
}

Formula part_of(const Vocabulary& vocabulary, const Formula& formula, Range range) {
  const auto tokens = formula.tokens.begin();
  const auto constants = formula.constants.begin();
  return {{tokens + range.begin, tokens + range.end},
          {constants + constants_up_to(vocabulary, formula, range.begin),
           constants + constants_up_to(vocabulary, formula, range.end)}};
}

Formula with_part(const Vocabulary& vocabulary, const Formula& formula, Range range, const Formula& part) {
  const auto first = constants_up_to(vocabulary, formula, range.begin);
  const auto last = constants_up_to(vocabulary, formula, range.end);
  Formula result = formula;
  result.tokens.erase(result.tokens.begin() + range.begin, result.tokens.begin() + range.end);
  result.tokens.insert(result.tokens.begin() + range.begin, part.tokens.begin(), part.tokens.end());
  result.constants.erase(result.constants.begin() + first, result.constants.begin() + last);
  result.constants.insert(result.constants.begin() + first, part.constants.begin(), part.constants.end());
  return result;
}

}  // namespace ddsr

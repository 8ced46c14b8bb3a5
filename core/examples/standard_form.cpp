#include "examples/standard_form.hpp"

#include <algorithm>
#include <cmath>

#include "examples/freedom.hpp"
#include "examples/writing.hpp"

namespace ddsr {

namespace {
constexpr int MOST_ROUNDS = 6;
}

std::optional<Formula> Standardizer::standard_form(const Formula& formula, const std::vector<Sign>& signs) {
  simplifier_.set_signs(signs);
  Formula last = formula;
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    const Formula simple = simplifier_.simplify(last);
    Formula next = written(vocabulary_, without_scale_and_offset(vocabulary_, item_of(vocabulary_, simple)));
    if (!std::ranges::all_of(next.constants, [](double value) { return std::isfinite(value); })) return {};
    if (round > 0 && next.tokens == last.tokens) return next;
    last = std::move(next);
  }
  return {};
}

}  // namespace ddsr

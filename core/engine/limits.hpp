// What users demand of equations beyond what a grammar can ask of their tokens one by one.
#pragma once

#include "engine/value_checks.hpp"
#include "grammar/form_rules.hpp"

namespace ddsr {

struct Limits {
  std::size_t n_columns;
  ConstantLimits constants;
  FormRules form;  // with the tokens of the search's vocabulary
  ValueChecks values;
};

}  // namespace ddsr

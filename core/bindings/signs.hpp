// Signs of variables as they come from Python.
#pragma once

#include "bindings/bindings.hpp"
#include "simplify/forms.hpp"

namespace ddsr {

// A sign for each variable, checked.
std::vector<Sign> take_signs(const Vocabulary& vocabulary, const Input<std::uint8_t, 1>& signs);

}  // namespace ddsr

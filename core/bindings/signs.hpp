// Signs of variables passed from Python.
#pragma once

#include "bindings/bindings.hpp"
#include "simplify/forms.hpp"

namespace ddsr {

// Checks and returns one sign per variable.
std::vector<Sign> take_signs(const Vocabulary& vocabulary, const Input<std::uint8_t, 1>& signs);

}  // namespace ddsr

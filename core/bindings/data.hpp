// A data set as it comes from Python.
#pragma once

#include <optional>

#include "bindings/bindings.hpp"
#include "engine/dataset.hpp"

namespace ddsr {

// The rows to score on, those to fit on, and those to refit the few best on; they may all be the same.
struct Data {
  Dataset scoring;
  std::optional<Dataset> some, many;
  const Dataset& fitting(bool refits) const {
    const std::optional<Dataset>& sample = refits ? many : some;
    return sample ? *sample : scoring;
  }
};

}  // namespace ddsr

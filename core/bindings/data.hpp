// A data set passed from Python.
#pragma once

#include <optional>

#include "bindings/bindings.hpp"
#include "engine/dataset.hpp"

namespace ddsr {

// The rows to score on, those to fit on, and those on which the best are refitted; they may be the same.
struct Data {
  Dataset scoring;
  std::optional<Dataset> some, many;
  const Dataset& fitting(bool refits) const {
    const std::optional<Dataset>& sample = refits ? many : some;
    return sample ? *sample : scoring;
  }
};

}  // namespace ddsr

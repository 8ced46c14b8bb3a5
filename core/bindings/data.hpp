// A data set as it comes from Python.
#pragma once

#include <optional>

#include "bindings/bindings.hpp"
#include "engine/dataset.hpp"

namespace ddsr {

// The rows to score on and the rows to fit on, which may be the same.
struct Data {
  Dataset scoring;
  std::optional<Dataset> subsample;
  const Dataset& fitting() const { return subsample ? *subsample : scoring; }
};

}  // namespace ddsr

// Data and batches of expressions as they come from Python.
#pragma once

#include <optional>

#include "bindings/bindings.hpp"
#include "engine/dataset.hpp"

namespace ddsr {

template <typename T, std::size_t N>
using Input = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// The rows to score on and the rows to fit on, which may be the same.
struct Data {
  Dataset scoring;
  std::optional<Dataset> subsample;
  const Dataset& fitting() const { return subsample ? *subsample : scoring; }
};

// A batch taken apart and checked: every row one complete tree with as many constants as it has tokens for.
struct Batch {
  Expressions expressions;
  std::vector<double> values;  // a copy, for the same reason
  std::vector<std::span<const double>> constants;
  std::size_t width;
};

Batch take_batch(const Vocabulary& vocabulary, std::size_t n_columns, const TokenRows& tokens,
                 const Input<double, 2>& constants);

}  // namespace ddsr

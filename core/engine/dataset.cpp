#include "engine/dataset.hpp"

#include <cmath>
#include <utility>

namespace ddsr {

Dataset::Dataset(const double* X, const double* y, const double* weights, std::size_t n_rows,
                 std::size_t n_columns, Observations observations, const std::vector<std::size_t>& rows,
                 Loss loss, bool has_offset, std::shared_ptr<const Limits> limits)
    : n_rows_(rows.empty() ? n_rows : rows.size()),
      n_columns_(n_columns),
      stride_(padded(n_rows_)),
      observations_(observations),
      loss_(std::move(loss)),
      has_offset_(has_offset),
      limits_(std::move(limits)) {
  auto source = [&](std::size_t row) {
    const std::size_t last = row < n_rows_ ? row : n_rows_ - 1;
    return rows.empty() ? last : rows[last];
  };
  X_.resize(n_columns * stride_);
  y_.resize(stride_);
  if (weights != nullptr) weights_.resize(stride_), root_weights_.resize(stride_);
  for (std::size_t row = 0; row < stride_; ++row) {
    const std::size_t from = source(row);
    for (std::size_t column = 0; column < n_columns; ++column)
      X_[column * stride_ + row] = X[from * n_columns + column];
    y_[row] = y[from];
    if (weights == nullptr) continue;
    weights_[row] = weights[from];
    root_weights_[row] = std::sqrt(weights[from]);
  }
  measure();
}

Dataset::Dataset(const Dataset& from, const std::vector<std::size_t>& rows)
    : n_rows_(rows.empty() ? from.n_rows_ : rows.size()),
      n_columns_(from.n_columns_),
      stride_(padded(n_rows_)),
      X_(n_columns_ * stride_),
      y_(stride_),
      weights_(from.weights_.empty() ? 0 : stride_),
      root_weights_(weights_.size()),
      observations_(from.observations_),
      loss_(from.loss_),
      has_offset_(from.has_offset_),
      limits_(from.limits_) {
  for (std::size_t row = 0; row < stride_; ++row) {
    const std::size_t last = row < n_rows_ ? row : n_rows_ - 1;
    const std::size_t source = rows.empty() ? last : rows[last];
    for (std::size_t column = 0; column < n_columns_; ++column)
      X_[column * stride_ + row] = from.X_[column * from.stride_ + source];
    y_[row] = from.y_[source];
    if (weights_.empty()) continue;
    weights_[row] = from.weights_[source];
    root_weights_[row] = from.root_weights_[source];
  }
  measure();
}

Dataset Dataset::with_offset(bool has_offset) const {
  Dataset other = *this;
  other.has_offset_ = has_offset;
  return other;
}

void Dataset::measure() {
  auto weight = [&](std::size_t row) { return weights_.empty() ? 1.0 : weights_[row]; };
  for (std::size_t row = 0; row < n_rows_; ++row) {
    total_weight_ += weight(row);
    center_ += weight(row) * y_[row];
  }
  center_ /= total_weight_;
  if (!loss_.is_squared()) {
    const int n = static_cast<int>(n_rows_);
    center_ = loss_.center(y(), weights(), n);
    const std::vector<double> constant(n_rows_, center_);
    spread_ = error(loss_(y(), constant.data(), weights(), n));
    return;
  }
  double squares = 0.0;
  for (std::size_t row = 0; row < n_rows_; ++row) {
    const double distance = y_[row] - center_;
    squares += weight(row) * distance * distance;
  }
  spread_ = error(squares);
}

}  // namespace ddsr

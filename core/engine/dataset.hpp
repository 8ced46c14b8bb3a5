// The data: columns of X, y and weights, each padded to whole vectors by repeating its last row.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/evaluate.hpp"
#include "kernels/memory.hpp"

namespace ddsr {

// How many observations the rows of a data set are worth by their weights, and how many carry weight.
struct Observations {
  double counted, observed;
};

class Dataset {
 public:
  // X is row-major, n_rows x n_columns; `rows` picks the rows to take (all of them if empty).
  // `weights` may be null. `observations` are those of all rows.
  Dataset(const double* X, const double* y, const double* weights, std::size_t n_rows, std::size_t n_columns,
          Observations observations, const std::vector<std::size_t>& rows = {});

  // Some rows of another, all of them if `rows` is empty.
  Dataset(const Dataset& from, const std::vector<std::size_t>& rows);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }
  // the columns from row `begin` on, which must be a multiple of LANES
  Columns columns(std::size_t begin) const { return {X_.data() + begin, stride_}; }
  const double* y() const { return y_.data(); }
  // square roots of the weights; null if all rows weigh the same
  const double* root_weights() const { return root_weights_.empty() ? nullptr : root_weights_.data(); }
  const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
  double total_weight() const { return total_weight_; }
  // Of the whole data set, whichever of its rows are here.
  double n_counted() const { return observations_.counted; }
  double n_observed() const { return observations_.observed; }
  // weighted mean of y
  double center() const { return center_; }
  // weighted standard deviation of y, the unit of NRMSE
  double spread() const { return spread_; }

 private:
  void measure();

  std::size_t n_rows_, n_columns_, stride_;
  Buffer X_, y_, weights_, root_weights_;
  Observations observations_;
  double total_weight_ = 0.0, center_ = 0.0, spread_ = 0.0;
};

}  // namespace ddsr

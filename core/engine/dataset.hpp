// The data: columns of X, y and weights, each padded to whole vectors by repeating its last row.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/evaluate.hpp"
#include "engine/limits.hpp"
#include "engine/loss.hpp"
#include "kernels/memory.hpp"

namespace ddsr {

// How many observations the rows are worth by their weights, and how many rows have a nonzero weight.
struct Observations {
  double counted, observed;
};

class Dataset {
 public:
  // X is row-major, n_rows x n_columns. `rows` selects the rows to take (empty: all). `weights` may be null.
  // `observations` are those of all rows.
  Dataset(const double* X, const double* y, const double* weights, std::size_t n_rows, std::size_t n_columns,
          Observations observations, const std::vector<std::size_t>& rows = {}, Loss loss = {},
          bool has_offset = true, std::shared_ptr<const Limits> limits = nullptr);

  // Selected rows of another data set; all of them if `rows` is empty.
  Dataset(const Dataset& from, const std::vector<std::size_t>& rows);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }
  // The columns from row `begin` on, which must be a multiple of LANES.
  Columns columns(std::size_t begin) const { return {X_.data() + begin, stride_}; }
  const double* y() const { return y_.data(); }
  // Square roots of the weights; null if all rows have the same weight.
  const double* root_weights() const { return root_weights_.empty() ? nullptr : root_weights_.data(); }
  const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
  double total_weight() const { return total_weight_; }
  // Of the whole data set, also if only some of its rows are here.
  double n_counted() const { return observations_.counted; }
  double n_observed() const { return observations_.observed; }
  const Loss& loss() const { return loss_; }
  // Limits that fits of constants must keep; null: none.
  const Limits* limits() const { return limits_.get(); }
  // Whether a free offset is fitted with a free scale.
  bool has_offset() const { return has_offset_; }
  Dataset with_offset(bool has_offset) const;
  // The best constant: the weighted mean of y, for squared errors.
  double center() const { return center_; }
  // The error of the best constant, which is the unit of NRMSE: the weighted standard deviation of y, for
  // squared errors.
  double spread() const { return spread_; }
  // The error, given twice the sum of the losses of all rows: the root mean square, for squared errors.
  double error(double twice_loss) const { return loss_.error(twice_loss, total_weight_); }

 private:
  void measure();

  std::size_t n_rows_, n_columns_, stride_;
  Buffer X_, y_, weights_, root_weights_;
  Observations observations_;
  Loss loss_;
  bool has_offset_;
  std::shared_ptr<const Limits> limits_;
  double total_weight_ = 0.0, center_ = 0.0, spread_ = 0.0;
};

}  // namespace ddsr

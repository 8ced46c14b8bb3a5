// What a fit minimises: squared errors, or the loss of another kind of observation.
//
// A loss gives, at the present predictions, the quadratic model that a Gauss–Newton step needs: one residual
// and one curvature for each row. Absolute, Huber and quantile losses are reweighted squares, Poisson and
// logistic losses have their Fisher information.
#pragma once

#include <cstdint>
#include <functional>

namespace ddsr {

class Loss {
 public:
  // As in src/ddsr/data/losses.py.
  enum class Kind : std::uint8_t { Squared, Absolute, Huber, Quantile, Poisson, Logistic, Custom };

  // Fills the loss of n rows, given y and predictions.
  using Function = std::function<void(const double* y, const double* predicted, int n, double* loss)>;

  Loss() = default;
  // `quantile` is that of Kind::Quantile, and `function` is that of Kind::Custom.
  // `known` is the expected mean of the squared errors if it is known, otherwise 0.
  Loss(Kind kind, double quantile, double known, Function function);

  bool is_squared() const { return kind_ == Kind::Squared; }
  // Whether the size of the errors is fitted, too. Otherwise, the observations determine it.
  bool has_scale() const { return kind_ != Kind::Poisson && kind_ != Kind::Logistic; }

  // Returns twice the sum of the weighted losses, infinite if a prediction is impossible. `weights` may be
  // null. If `residual` is not null, fills it and the roots of the curvatures so that J' residual, where the
  // rows of J are slopes times these roots, is minus half the gradient of what is returned.
  double operator()(const double* y, const double* predicted, const double* weights, int n,
                    double* residual = nullptr, double* roots = nullptr) const;

  // The likelihood to the power -1/N, up to a factor, for this twice the sum of losses; the root mean squared
  // error for squares. So N * log(error) is a description length of y for any loss.
  double error(double twice, double total_weight) const;
  // The sum of squared errors that has this error.
  double squares_of(double error, double total_weight) const;

  // Losses of at most this are rounding errors, given the error of the best constant.
  double exact(double error_of_constant, double total_weight) const;

  // The constant that predicts y best.
  double center(const double* y, const double* weights, int n) const;

 private:
  struct Row;  // loss, minus its derivative, and its curvature
  template <typename OfRow>
  double sum(OfRow of_row, const double* y, const double* predicted, const double* weights, int n,
             double* residual, double* roots) const;
  double custom(const double* y, const double* predicted, const double* weights, int n, double* residual,
                double* roots) const;

  Kind kind_ = Kind::Squared;
  double quantile_ = 0.5;
  double known_ = 0.0;
  Function function_;
};

}  // namespace ddsr

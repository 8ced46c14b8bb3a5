// Starting values for the fit of a structure's constants.
//
// Constants have units. A fit of c * exp(c / T) that starts from 1 and 1, at temperatures of 300, sees a
// constant function. So each constant starts where its part of the formula has a natural size, or changes by
// a natural size from row to row. Many starts are drawn, since one alone may fail. Those are kept whose error
// on some of the rows is smallest, with optimal values of the factors of the terms.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/dataset.hpp"
#include "price/structure.hpp"

namespace ddsr {

class Starts {
 public:
  explicit Starts(const Dataset& data);

  // Returns up to `n_kept` starts, the most promising first, each with the constants in the structure's
  // order. `key` selects the random numbers of this structure.
  std::vector<std::vector<double>> best(const Structure& structure, std::uint64_t seed, std::uint32_t key,
                                        int n_kept);

 private:
  using Values = std::vector<double>;
  struct Start {
    std::vector<double> constants;
    double squares;  // on some rows, by their weights
  };
  // A term of the whole structure with a fitted factor, the constant `factor`.
  struct Term {
    std::size_t factor;
    Values values;
  };

  Start draw(const Structure& structure);
  Values whole(const Structure& structure);
  double fit_factors(const Values& values);
  Values values(const Structure& structure, double target);
  Values list(const Structure& structure, double target);
  double fitted_factor(const Values& rest, double target);
  double fitted_term(const Values& rest, double target);
  double size(const Values& values) const;
  double natural(const Values& values) const;
  double around(double size);
  double sign(double chance_of_minus);
  double uniform();
  bool sees_changes() const { return start_ % 2 == 1; }

  std::vector<Values> columns_;  // of some rows
  Values y_, weights_;           // of the same rows
  bool is_squared_;              // whether the loss is the square of the error
  double typical_ = 1.0;         // a typical value of y, with its sign
  std::size_t extreme_ = 0;      // the row whose y is farthest from the mean
  double log_steepness_ = 0.0;   // of the peak that was placed there
  std::vector<double> constants_;
  std::vector<Term> terms_;
  std::uint64_t seed_ = 0;
  std::uint32_t key_ = 0, n_drawn_ = 0;
  int start_ = 0;
};

}  // namespace ddsr

// Starting values for the fit of a structure's constants.
//
// Constants have units. A fit of c * exp(c / T) that starts from 1 and 1, at temperatures of 300, sees a
// constant function. So each constant starts where its part of the formula has a natural size: about 1 inside
// a function, about y at the top. Further starts are drawn around it, since one alone may fail.
// function, about y at the top. Around it starts are drawn, since one alone may lead nowhere.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/dataset.hpp"
#include "price/structure.hpp"

namespace ddsr {

class Starts {
 public:
  explicit Starts(const Dataset& data);

  // Returns the constants in the structure's order. `key` selects the random numbers of this structure; start
  // 0 is not random.
  std::vector<double> draw(const Structure& structure, std::uint64_t seed, std::uint32_t key, int start);

 private:
  using Values = std::vector<double>;
  Values values(const Structure& structure, double target);
  Values list(const Structure& structure, double target);
  double size(const Values& values) const;
  double around(double size);
  double sign(double chance_of_minus);

  std::vector<Values> columns_;  // of some rows
  double typical_ = 1.0;         // a typical value of y, with its sign
  std::vector<double> constants_;
  std::uint64_t seed_ = 0;
  std::uint32_t key_ = 0, n_drawn_ = 0;
  int start_ = 0;
};

}  // namespace ddsr

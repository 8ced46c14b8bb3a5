// What it takes to write a structure, in nats: a code learned from formulas that people use.
//
// A structure is named as a whole where formulas have it (known_forms.hpp), or told from the top down
// (telling.hpp): each symbol given its place and the place above it, each part of a list given the part
// before it. The chances of all that may be named at a place add up to 1, so that e^-nats over all structures
// adds up to no more than 1, however many there are.
#pragma once

#include <vector>

#include "price/known_forms.hpp"
#include "price/telling.hpp"

namespace ddsr {

class StructureCode {
 public:
  // `choices` are those of the formulas to learn from, all of them, in any order.
  StructureCode(const std::vector<Choice>& choices, KnownForms known);

  double nats(const Choice& choice) const;

  double symbol_nats(Place place, Place above, Symbol symbol) const;
  double listed_nats(bool is_product, int before, Place place, int next) const;

  // To say that a factor, or an exponent, that formulas have as a number or a constant is a number.
  double nats_of_being_factor() const { return being_factor_; }
  double nats_of_being_exponent() const { return being_exponent_; }
  // To say that a number stands before the whole, as in 4 * pi * x * y.
  double nats_of_leading_number() const { return leading_number_; }

  const KnownForms& known() const { return known_; }

 private:
  std::vector<double> symbols_, listed_;
  double being_factor_ = 0.0, being_exponent_ = 0.0, leading_number_ = 0.0;
  KnownForms known_;
};

}  // namespace ddsr

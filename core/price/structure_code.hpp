// The price of a structure in nats: a code learned from formulas that people use.
//
// A structure is either named as a whole if formulas have it (known_forms.hpp), or written from the top down
// (description.hpp): each symbol given its place and the place above it, each part of a list given the
// previous part. The probabilities of all choices at a place add up to 1, so the sum of e^-nats over all
// structures is at most 1.
#pragma once

#include <vector>

#include "price/description.hpp"
#include "price/known_forms.hpp"

namespace ddsr {

// Nats of an operator that the corpus does not have, at any place.
inline constexpr double NATS_OF_OTHER = 6.0;

class StructureCode {
 public:
  // `choices` are those of all formulas to learn from, in any order.
  StructureCode(const std::vector<Choice>& choices, KnownForms known);

  double nats(const Choice& choice) const;

  double symbol_nats(Place place, Place above, Symbol symbol) const;
  double listed_nats(bool is_product, int before, Place place, int next) const;

  // Nats to say that a factor or exponent is a number rather than a constant.
  double nats_of_being_factor() const { return being_factor_; }
  double nats_of_being_exponent() const { return being_exponent_; }
  // Nats to say that a number leads the whole structure, as in 4 * pi * x * y.
  double nats_of_leading_number() const { return leading_number_; }

  const KnownForms& known() const { return known_; }

 private:
  std::vector<double> symbols_, listed_;
  double being_factor_ = 0.0, being_exponent_ = 0.0, leading_number_ = 0.0;
  KnownForms known_;
};

}  // namespace ddsr

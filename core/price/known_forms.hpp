// Whole structures that formulas of the corpus have, whatever their variables are called.
//
// Told choice by choice, a law that every textbook has is dear: the logistic curve takes nine choices. Here
// it has the chance that formulas have it. Of each count a part is set aside for structures that no formula
// has (absolute discounting; Ney, Essen and Kneser 1994), so that the chances of all structures add up to no
// more than 1. Some tables have the logarithm of what a law says, so that the logarithms of all forms are
// known, too.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "price/structure.hpp"

namespace ddsr {

// Equal for structures that differ by the names of variables and the values of constants alone.
std::uint64_t nameless_hash(const Structure& structure);

class KnownForms {
 public:
  struct Form {
    Structure structure;  // with its variables numbered from 0
    int count = 0;        // of formulas that have it
    int n_columns = 0;    // different variables
  };

  void add(Structure structure, int count);

  // The logarithms of forms that are other forms than those, with the counts of what they are logarithms of.
  const std::vector<Form>& logarithms() const { return logarithms_; }

  // To name the form of a structure and the columns of its variables, in a table of so many; infinite where
  // it is not known.
  double nats(const Structure& structure, int n_variables) const;
  // To say that a structure is told choice by choice.
  double nats_of_unknown(int n_variables) const;
  // Either way, where choice by choice it takes `told_nats`.
  double nats(const Structure& structure, int n_variables, double told_nats) const;

  const std::vector<Form>& forms() const { return forms_; }

 private:
  struct Total {
    double count = 0.0, n_kinds = 0.0;
  };

  // Its place in `forms`, by the hash of its structure.
  using Places = std::unordered_map<std::uint64_t, std::size_t>;
  static Form& add_to(std::vector<Form>& forms, Places& places, Structure structure);
  double nats_of(const Form& form, int n_variables) const;

  std::vector<Form> forms_, logarithms_;
  Places place_, place_of_logarithm_;
  std::vector<Total> totals_;  // of the forms that have so many columns
};

}  // namespace ddsr

// Whole structures that formulas of the corpus have, whatever their variables are called.
//
// Told choice by choice, a law that every textbook has is dear: the logistic curve takes nine choices. Here
// it has the chance that formulas have it. Of each count a part is set aside for structures that no formula
// has (absolute discounting; Ney, Essen and Kneser 1994), so that the chances of all structures add up to no
// more than 1. Some tables have the logarithm of what a law says, or its inverse, as a time where the law
// gives a rate. So the logarithms and the inverses of all forms are known, too.
#pragma once

#include <array>
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

  // What tables may have in place of what a law says.
  enum Transform : std::uint8_t { LOGARITHM, INVERSE };
  static constexpr std::size_t N_TRANSFORMS = 2;

  // Forms so transformed, with the counts of what they were before.
  const std::vector<Form>& transformed(std::size_t transform) const { return transformed_[transform].forms; }

  // To name the form of a structure and the columns of its variables, in a table of so many; infinite where
  // it is not known.
  double nats(const Structure& structure, int n_variables) const;
  // To say that a structure is told choice by choice.
  double nats_of_unknown(int n_variables) const;
  // Either way, where choice by choice it takes `told_nats`.
  double nats(const Structure& structure, int n_variables, double told_nats) const;

  const std::vector<Form>& forms() const { return known_.forms; }

 private:
  struct Total {
    double count = 0.0, n_kinds = 0.0;
  };

  // Forms, found by the hash of their structure.
  struct Table {
    Form& at(Structure structure);  // a new one if there is none
    const Form* find(std::uint64_t hash) const;

    std::vector<Form> forms;
    std::unordered_map<std::uint64_t, std::size_t> places;
  };
  double nats_of(const Form& form, int n_variables) const;

  Table known_;
  std::array<Table, N_TRANSFORMS> transformed_;
  std::vector<Total> totals_;  // of the forms that have so many columns
};

}  // namespace ddsr

// Whole structures of formulas in the corpus, whatever their variables are called.
//
// Written choice by choice, even a textbook law is expensive: the logistic curve takes nine choices. Here its
// probability is its frequency among formulas. A part of each count is reserved for structures that no
// formula has (absolute discounting; Ney, Essen and Kneser 1994), so the probabilities of all structures add
// up to at most 1. Some tables have the logarithm or the inverse of y in a law, for example a time where the
// law gives a rate. So the logarithms and inverses of all forms are known, too.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "price/structure.hpp"

namespace ddsr {

// Equal for structures that differ only in the names of variables and the values of constants.
std::uint64_t nameless_hash(const Structure& structure);

class KnownForms {
 public:
  struct Form {
    Structure structure;  // with its variables numbered from 0
    int count = 0;        // number of formulas that have it
    int n_columns = 0;    // number of different variables
  };

  void add(Structure structure, int count);

  // How the y of a table may be transformed.
  enum Transform : std::uint8_t { LOGARITHM, INVERSE };
  static constexpr std::size_t N_TRANSFORMS = 2;

  // The transformed forms, with the counts of the original ones.
  const std::vector<Form>& transformed(std::size_t transform) const { return transformed_[transform].forms; }

  // Nats to name the form of a structure and the columns of its variables, in a table of `n_variables`
  // columns; infinite if the form is not known.
  double nats(const Structure& structure, int n_variables) const;
  // Nats to say that a structure is not a known form.
  double nats_of_unknown(int n_variables) const;
  // The cheaper of the two ways, where the price choice by choice is `described_nats`.
  double nats(const Structure& structure, int n_variables, double described_nats) const;

  const std::vector<Form>& forms() const { return known_.forms; }

 private:
  struct Total {
    double count = 0.0, n_kinds = 0.0;
  };

  // Forms, indexed by the hash of their structure.
  struct Table {
    Form& at(Structure structure);  // creates it if there is none
    const Form* find(std::uint64_t hash) const;

    std::vector<Form> forms;
    std::unordered_map<std::uint64_t, std::size_t> places;
  };
  double nats_of(const Form& form, int n_variables) const;

  Table known_;
  std::array<Table, N_TRANSFORMS> transformed_;
  std::vector<Total> totals_;  // of the forms with a given number of columns
};

}  // namespace ddsr

// Small expressions, with what they are on some rows: where a subtree of wanted values is looked up.
//
// All that the vocabulary can say briefly stands in it once, up to scale and offset, and a search over
// thousands of entries costs as much as the fits of several children.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/dataset.hpp"
#include "evolution/options.hpp"
#include "expression/formula.hpp"

namespace ddsr {

using FloatBuffer = std::vector<float, AlignedAllocator<float>>;

class Dictionary {
 public:
  static constexpr std::size_t N_ROWS = 32;
  static constexpr std::size_t N_FAMILIES = 6;
  static constexpr std::size_t N_CURVED = 16;    // of so many of the simplest entries there are curves
  static constexpr std::size_t N_OF_FAMILY = 3;  // of different entries, one of them a variable
  static constexpr std::size_t WIDTH = 16;       // of a block of the table

  // With at most about `max_entries`; what is too much for the largest size is left out at random.
  Dictionary(const Vocabulary& vocabulary, const EvolutionOptions& options, const Dataset& data,
             std::size_t max_entries, std::uint64_t seed);

  // An entry s for which `scale * s + offset`, with a share of what stands beside it, is near to what is
  // wanted.
  struct Match {
    std::size_t entry = 0;
    double scale = 1.0, offset = 0.0, share = 1.0;
    float penalised = 0.0f;  // the squares that are left, times what its size costs
  };
  // For each row a number; rows of weight 0 may hold anything. What stands beside the entry, a term whose
  // share is free, may be null.
  struct Query {
    const double *wanted, *weights, *beside;
  };
  // The nearest entries, best first; none where nothing is left to be matched. With families also the nearest
  // curve of each that is one of a variable, and those of two other entries: their numbers are rough, and
  // others may look better that are worse once all is fitted. `scratch` is memory to work in.
  std::vector<Match> nearest(const Query& query, std::size_t n_matches, FloatBuffer& scratch,
                             bool has_families = false) const;

  // The entries that are no curves, variables first; of those that cost the same none stands before another
  // for its column.
  const std::vector<std::size_t>& simplest() const { return simplest_; }
  Formula formula(const Vocabulary& vocabulary, std::size_t entry) const;
  double value(std::size_t entry, std::size_t row) const;
  const Dataset& rows() const { return rows_; }
  std::size_t size() const { return entries_.size(); }

 private:
  friend class DictionaryMaker;

  // An operator on shapes, or a leaf; its exponent is that of a power with a fixed one. It may be a function
  // of `factor * a + shift`, as curves are.
  struct Shape {
    TokenId token;
    int a = -1, b = -1;
    double exponent = 0.0;
    int size = 1;  // tokens
    double factor = 1.0, shift = 0.0;
    int curve = -1;  // of a curve: its family, and of which entry, as one number
  };
  // Weighted means and deviations of what is wanted and what stands beside; the deviation of what is wanted
  // is that of the part which the other does not explain.
  struct Target {
    double mean, deviation, mean_beside, deviation_beside, share;
  };
  // Of an entry's standardised values: weighed, weighed and squared, and times the two.
  struct Sums {
    float first, second, with_wanted, with_beside;

    // Of what the mean and the term beside do not explain.
    float variance() const { return second - first * first - with_beside * with_beside; }
  };
  Target standardised(const Query& query, float* weights, float* wanted, float* beside) const;
  Sums sums_of(const float* sums, std::size_t entry) const;
  std::vector<Match> ranked(const float* sums, std::size_t n_matches, bool has_families) const;
  void set_line(Match& match, const Target& target, const Sums& sums) const;
  void append(Formula& out, const Vocabulary& vocabulary, int shape) const;

  Dataset rows_;
  std::vector<Shape> shapes_;  // operands before operators
  // The entries: their shapes, and their values standardised, sixteen entries side by side in each block.
  std::vector<int> entries_;
  std::vector<double> means_, deviations_;
  std::vector<float> size_costs_;
  std::vector<int> curves_;
  std::size_t n_curved_variables_ = 0;
  std::vector<std::size_t> simplest_;
  FloatBuffer table_;
};

}  // namespace ddsr

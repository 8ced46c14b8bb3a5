// Small expressions with their values on some rows, searched for those nearest to wanted values.
//
// It has every short expression of the vocabulary once, up to scale and offset. Searching its thousands of
// entries costs as much as fitting several children.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/dataset.hpp"
#include "evolution/options.hpp"
#include "expression/formula.hpp"
#include "grammar/units.hpp"

namespace ddsr {

using FloatBuffer = std::vector<float, AlignedAllocator<float>>;

class Dictionary {
 public:
  static constexpr std::size_t N_ROWS = 32;
  static constexpr std::size_t N_FAMILIES = 6;
  static constexpr std::size_t N_CURVED = 16;    // number of simplest entries that get curves
  static constexpr std::size_t N_OF_FAMILY = 3;  // best curves per family, of different entries
  static constexpr std::size_t WIDTH = 16;       // entries per block of the table

  // With about `max_entries` at most. Of the largest size, a random sample is taken. `inputs` are the columns
  // of the variables that may occur. With units, all entries are consistent.
  Dictionary(const Vocabulary& vocabulary, const EvolutionOptions& options, const Dataset& data,
             const std::vector<int>& inputs, std::size_t max_entries, std::uint64_t seed,
             const Units* units = nullptr);

  // An entry s for which `scale * s + offset + share * beside` is near the wanted values.
  struct Match {
    std::size_t entry = 0;
    double scale = 1.0, offset = 0.0, share = 1.0;
    float penalised = 0.0f;  // the remaining squares times the cost of the size
  };
  // One value per row; on rows of weight 0 it may be anything. `beside` is a term added to the entry with a
  // free factor, or null.
  struct Query {
    const double *wanted, *weights, *beside;
    std::optional<Unit> unit = {};  // only entries of this unit; one that is not a number allows no offset
  };
  // Returns the nearest entries, best first, or nothing if the wanted values are constant. With families, the
  // result also has the three nearest curves of each family, one of them of a variable: their parameters are
  // rough, and entries that look better now may be worse after the fit. `scratch` is working memory.
  std::vector<Match> nearest(const Query& query, std::size_t n_matches, FloatBuffer& scratch,
                             bool has_families = false) const;

  // The entries that are not curves, variables first. Entries of equal cost are in random order, not in that
  // of their columns.
  const std::vector<std::size_t>& simplest() const { return simplest_; }
  // The shapes of a unit, the simplest first: entries, and what has the same value in every row.
  const std::vector<int>& shapes_of(const Unit& unit) const;
  Formula formula_of_shape(const Vocabulary& vocabulary, int shape) const;
  Formula formula(const Vocabulary& vocabulary, std::size_t entry) const;
  double value(std::size_t entry, std::size_t row) const;
  const Dataset& rows() const { return rows_; }
  std::size_t size() const { return entries_.size(); }

 private:
  friend class DictionaryMaker;

  // A leaf, or an operator on other shapes. `exponent` is that of a power with a fixed exponent. The first
  // operand may be scaled and shifted, `factor * a + shift`, as it is in curves.
  struct Shape {
    TokenId token;
    int a = -1, b = -1;
    double exponent = 0.0;
    int size = 1;  // tokens
    double factor = 1.0, shift = 0.0;
    int curve = -1;  // for curves: family and entry, combined into one index
  };
  // Weighted means and deviations of `wanted` and `beside`. The deviation of `wanted` is that of the part
  // that `beside` does not explain.
  struct Target {
    double mean, deviation, mean_beside, deviation_beside, share;
  };
  // Weighted sums of an entry's standardised values, of their squares, and of their products with the others.
  struct Sums {
    float first, second, with_wanted, with_beside;

    // The part of the variance that `beside` does not explain.
    float variance() const { return second - first * first - with_beside * with_beside; }
  };
  Target standardised(const Query& query, float* weights, float* wanted, float* beside) const;
  Sums sums_of(const float* sums, std::size_t entry) const;
  std::vector<Match> ranked(const float* sums, const Target& target, const Query& query,
                            std::size_t n_matches, bool has_families) const;
  float share_left(const Target& target, const Sums& sums, std::size_t entry, bool has_offset) const;
  void set_line(Match& match, const Target& target, const Sums& sums, bool has_offset) const;
  void append(Formula& out, const Vocabulary& vocabulary, int shape) const;

  Dataset rows_;
  std::vector<Shape> shapes_;  // operands before operators
  // The entries: their shapes and standardised values, in blocks of sixteen entries side by side.
  std::vector<int> entries_;
  std::vector<double> means_, deviations_;
  std::vector<float> size_costs_;
  std::vector<int> curves_;
  std::size_t n_curved_variables_ = 0;
  std::vector<std::size_t> simplest_;
  std::vector<Unit> units_;                   // of the entries; empty without units
  std::map<Unit, std::vector<int>> by_unit_;  // shapes
  FloatBuffer table_;
};

}  // namespace ddsr

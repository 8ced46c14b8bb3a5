// Fills a dictionary with expressions in the order of their cost, combining the smaller ones in every way.
#pragma once

#include <unordered_set>
#include <utility>

#include "evolution/dictionary.hpp"
#include "evolution/random_source.hpp"

namespace ddsr {

class DictionaryMaker {
 public:
  DictionaryMaker(Dictionary& dictionary, const Vocabulary& vocabulary, const EvolutionOptions& options,
                  std::uint64_t seed, const Units* units);

  void fill(const std::vector<int>& inputs, std::size_t max_entries);

 private:
  using Shape = Dictionary::Shape;

  // A unary operator, or a power with a fixed exponent.
  struct Function {
    TokenId token;
    double exponent;
  };
  struct Pairing {
    TokenId token;
    const std::vector<int>*left, *right;
    std::size_t size() const { return left->size() * right->size(); }
  };

  // With units, ratios and products of cheaper shapes are entries of this cost where their units agree.
  static constexpr std::size_t COST_OF_GROUPS = 4;

  void add_shapes(std::size_t max_entries);
  void add_groups(std::size_t max_entries);
  void add_leaves(const std::vector<int>& inputs);
  std::vector<Pairing> pairings_of(std::size_t cost) const;
  void add_all(std::size_t cost, const std::vector<Pairing>& pairings);
  void add_some(std::size_t cost, const std::vector<Pairing>& pairings, std::size_t n_shapes,
                std::size_t max_entries);
  void add_function(const Function& function, int operand, std::size_t cost);
  void add_pair(TokenId token, int a, int b, std::size_t cost);
  // Adds functions of `factor * operand + shift` on grids. A fit then finds the exact values.
  void add_curves();
  bool is_drawn(Op op) const;
  bool can_scale() const;
  bool is_negative(int shape);
  void add_curves_of(int operand);
  enum Family : std::uint8_t { EXPONENTIAL, LOGARITHM, POLE, ROOT, POWER, WAVE };
  void add_curve(Family family, int operand, double factor, double shift, double exponent = 0.0);
  // Computes the values and keeps the shape if they are new.
  void add(const Shape& shape, std::size_t cost);
  bool has_consistent_units(const Shape& shape);
  bool has_unit(int shape) const;
  void enter(int shape, std::size_t cost);
  void rank_by_simplicity();
  void sort_by_unit();
  double* values_of(int shape) { return values_.data() + static_cast<std::size_t>(shape) * stride_; }

  Dictionary& dictionary_;
  const Vocabulary& vocabulary_;
  const EvolutionOptions& options_;
  const Kernels& kernels_;
  const Units* units_;
  RandomSource random_;
  const std::size_t n_rows_, stride_;
  std::size_t max_entries_ = 0;
  int n_curved_ = 0;  // number of operands whose curves are complete
  std::vector<Function> functions_;
  Buffer values_, inner_, exponents_;
  std::vector<std::vector<int>> by_cost_;
  std::vector<std::size_t> costs_;  // of the entries
  std::vector<Unit> shape_units_;   // if there are units
  // With units: shapes whose value is the same in every row, with their costs.
  std::vector<std::pair<int, std::size_t>> unvarying_;
  std::unordered_set<std::uint64_t> seen_values_, seen_shapes_;
};

}  // namespace ddsr

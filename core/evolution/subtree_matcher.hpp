// The move that looks up what a parent lacks: for a place in its tree, the values that would make it right,
// and the small expression that comes nearest to them.
//
// Random children have to hit upon such an expression. Here the target is carried from the root down to the
// place through the inverse of each operator, each row weighed by how much it matters there to the whole, and
// the dictionary says at once which of its entries, scaled and shifted, fits best.
#pragma once

#include <optional>
#include <vector>

#include "evolution/dictionary.hpp"
#include "evolution/drawing.hpp"
#include "evolution/random_source.hpp"

namespace ddsr {

// Works in its own memory; one for each island.
class SubtreeMatcher {
 public:
  SubtreeMatcher(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary,
                 bool is_scale_free);

  // The parent with a matched expression in place of a subtree, added to it or multiplied by it; the parent
  // itself where nothing can be said.
  Formula match(const Formula& parent, RandomSource& random);

  // Laws are often a simple factor times, over or under a function of something simple. There are so many
  // ways to begin one: y itself or with one of the first entries as such a factor, and then a function, a
  // power, or nothing. Of each, the expressions that complete it best; none where there are fewer.
  std::size_t n_sketches() const;
  std::optional<Formula> sketch(std::size_t index);

 private:
  static constexpr std::size_t MOST_FACTORS = 64;
  static constexpr std::size_t N_SKETCHED = 3,
                               MOST_SKETCHED = N_SKETCHED + Dictionary::N_FAMILIES * Dictionary::N_OF_FAMILY;

  // Where the new expression goes: it replaces the subtree [begin, end) of the parent, in which [kept_begin,
  // kept_end) stays beside it as a term, as a factor, or not at all.
  enum class Beside { Nothing, Term, Factor };
  struct Place {
    int begin, end;
    Beside beside = Beside::Nothing;
    int kept_begin = 0, kept_end = 0;
  };
  // What stands above the new expression: nothing, a function, or a power.
  struct Wrapper {
    TokenId token = -1;
    double exponent = 0.0;
  };
  // Whether a factor, or a term, of what is at the place is one of the whole model, which has them anyway.
  struct Freedom {
    bool scale, offset;
  };

  // A formula with a number where something is to be found.
  struct Outline {
    Formula formula;
    int place;
  };
  std::optional<Outline> outline_of(std::size_t index) const;
  std::vector<Formula> sketched(std::size_t index);
  int node_at(const Formula& formula, int begin) const;
  Place draw_place(const Formula& parent, RandomSource& random) const;
  Wrapper draw_wrapper(RandomSource& random) const;
  bool evaluate(const Formula& parent);
  bool want_target(bool is_whole, RandomSource& random);
  void want(double scale, double offset);
  bool carry_down(int node, Freedom& freedom);
  void carry_through(Op op, bool is_first, const double* other, const double* current);
  void want_below(const Wrapper& wrapper);
  bool weigh();
  Dictionary::Match of_one_sign(Dictionary::Match match) const;
  Formula with_match(const Formula& parent, const Place& place, const Wrapper& wrapper,
                     Dictionary::Match match, Freedom freedom) const;
  void append_wrapped(Formula& out, const Wrapper& wrapper, Dictionary::Match match, Freedom freedom) const;
  void append_affine(Formula& out, const Dictionary::Match& match, bool has_scale, bool has_offset) const;
  void append_part(Formula& out, const Formula& parent, int begin, int end) const;
  void append_constant(Formula& out, double value) const;

  const Vocabulary& vocabulary_;
  const Drawing& drawing_;
  const Dictionary& dictionary_;
  const bool is_scale_free_;
  std::vector<Wrapper> wrappers_;  // all that there are
  Evaluator evaluator_;
  Program program_;
  std::vector<int> parents_;
  Buffer wanted_, weights_, constant_;
  FloatBuffer scratch_;
  // The last that was looked up, to be asked for one by one.
  std::size_t sketched_index_ = static_cast<std::size_t>(-1);
  std::vector<Formula> sketched_;
};

}  // namespace ddsr

// The move that looks up what a parent lacks: for a place in its tree, the values that would make it right,
// and the small expression that comes nearest to them.
//
// Random children have to hit upon such an expression. Here the dictionary says at once which of its entries,
// scaled and shifted, fits best.
#pragma once

#include "evolution/random_source.hpp"
#include "evolution/splicing.hpp"

namespace ddsr {

// Works in its own memory; one for each island.
class SubtreeMatcher {
 public:
  SubtreeMatcher(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary,
                 bool is_scale_free);

  // The parent with a matched expression in place of a subtree, added to it or multiplied by it; the parent
  // itself where nothing can be said.
  Formula match(const Formula& parent, RandomSource& random);

 private:
  Site draw_place(const Formula& parent, RandomSource& random) const;
  Wrapper draw_wrapper(RandomSource& random) const;
  bool want_target(bool is_whole, RandomSource& random);

  const Vocabulary& vocabulary_;
  const Drawing& drawing_;
  const Dictionary& dictionary_;
  const Splicing splicing_;
  const bool is_scale_free_;
  Wanted wanted_;
  FloatBuffer scratch_;
};

}  // namespace ddsr

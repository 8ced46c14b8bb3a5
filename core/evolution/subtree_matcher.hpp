// The move that looks up what a parent lacks: for a place in its tree it computes the values that would make
// the whole right, and finds the small expression nearest to them.
//
// Random moves would have to guess that expression. The dictionary tells at once which of its entries, scaled
// and shifted, fits best.
#pragma once

#include "evolution/random_source.hpp"
#include "evolution/splicing.hpp"

namespace ddsr {

// Has its own working memory; each island has one.
class SubtreeMatcher {
 public:
  SubtreeMatcher(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary,
                 bool is_scale_free, const Units* units = nullptr);

  // Returns the parent with a matched expression replacing a subtree, added to it or multiplied by it.
  // Returns the parent itself if there is no match. The place is one of the tokens [first, last).
  Formula match(const Formula& parent, int first, int last, RandomSource& random);

 private:
  Site draw_place(const Formula& parent, int first, int last, RandomSource& random) const;
  Wrapper draw_wrapper(RandomSource& random) const;
  bool want_target(bool is_whole, RandomSource& random);
  std::optional<Unit> unit_at(const Formula& parent, const Site& place, const Wrapper& wrapper) const;

  const Vocabulary& vocabulary_;
  const Drawing& drawing_;
  const Dictionary& dictionary_;
  const Splicing splicing_;
  const bool is_scale_free_;
  const Units* units_;
  Wanted wanted_;
  FloatBuffer scratch_;
};

}  // namespace ddsr

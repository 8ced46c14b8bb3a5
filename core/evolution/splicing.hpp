// Inserts a match from the dictionary into a formula.
#pragma once

#include "evolution/dictionary.hpp"
#include "evolution/drawing.hpp"
#include "evolution/wanted.hpp"

namespace ddsr {

// Where the new expression goes: it replaces the subtree [begin, end) of the parent. The part [kept_begin,
// kept_end) of that subtree is kept beside it as a term, as a factor, or not at all.
enum class Beside { Nothing, Term, Factor };
struct Site {
  int begin, end;
  Beside beside = Beside::Nothing;
  int kept_begin = 0, kept_end = 0;
};

class Splicing {
 public:
  Splicing(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary)
      : vocabulary_(vocabulary), drawing_(drawing), dictionary_(dictionary) {}

  // Omits a scale or offset of the match that the scale and offset of the whole model can provide.
  Formula with_match(const Formula& parent, const Site& place, const Wrapper& wrapper,
                     Dictionary::Match match, Freedom freedom) const;

 private:
  void append_wrapped(Formula& out, const Wrapper& wrapper, Dictionary::Match match, Freedom freedom) const;
  void append_affine(Formula& out, const Dictionary::Match& match, bool has_scale, bool has_offset) const;
  void append_part(Formula& out, const Formula& parent, int begin, int end) const;
  void append_constant(Formula& out, double value) const;

  const Vocabulary& vocabulary_;
  const Drawing& drawing_;
  const Dictionary& dictionary_;
};

}  // namespace ddsr

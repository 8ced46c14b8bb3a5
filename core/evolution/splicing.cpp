#include "evolution/splicing.hpp"

#include <cmath>

#include "expression/tree.hpp"

namespace ddsr {

namespace {

// A scale this near to 1 is omitted.
constexpr double NEAR_ONE = 1e-3;

}  // namespace

Formula Splicing::with_match(const Formula& parent, const Site& place, const Wrapper& wrapper,
                             Dictionary::Match match, Freedom freedom) const {
  Formula child;
  append_part(child, parent, 0, place.begin);
  const bool divides = place.beside == Beside::Factor && wrapper.exponent == -1.0;
  if (place.beside != Beside::Nothing) {
    child.tokens.push_back(divides ? wrapper.token
                                   : drawing_.find(place.beside == Beside::Term ? Op::Add : Op::Mul));
    const bool has_share = std::fabs(match.share - 1.0) > NEAR_ONE, is_product = drawing_.find(Op::Mul) >= 0;
    if (has_share && freedom.scale && (freedom.is_signed || match.share > 0.0))
      match.scale /= match.share, match.offset /= match.share;
    else if (has_share && is_product)
      child.tokens.push_back(drawing_.find(Op::Mul)), append_constant(child, match.share);
    append_part(child, parent, place.kept_begin, place.kept_end);
    if (place.beside == Beside::Term) freedom.scale = false;
    if (place.beside == Beside::Factor) freedom.offset = false;
  }
  append_wrapped(child, divides ? Wrapper{} : wrapper, match, freedom);
  append_part(child, parent, place.end, static_cast<int>(parent.tokens.size()));
  return child;
}

void Splicing::append_wrapped(Formula& out, const Wrapper& wrapper, Dictionary::Match match,
                              Freedom freedom) const {
  bool has_scale = std::fabs(match.scale - 1.0) > NEAR_ONE, has_offset = match.offset != 0.0;
  const Op op = wrapper.token < 0 ? Op::Add : vocabulary_[wrapper.token].op;
  const bool is_power = wrapper.token >= 0 && (wrapper.exponent != 0.0 || op == Op::Sqrt);
  if (wrapper.token < 0 && freedom.offset) has_offset = false;
  if (freedom.scale && (wrapper.token < 0 || is_power)) {
    // The model's own scale covers this one; a fit could not separate the two.
    const bool is_signed = freedom.is_signed && !is_root(op, wrapper.exponent);
    const double divisor = is_signed ? match.scale : std::fabs(match.scale);
    match.scale /= divisor, match.offset /= divisor;
    has_scale = match.scale < 0.0;
  }
  if (op == Op::Exp && freedom.scale) has_offset = false;
  const bool is_division = wrapper.token >= 0 && op == Op::Div;
  if (wrapper.token >= 0) out.tokens.push_back(wrapper.token);
  if (is_division) {
    if (vocabulary_.one() >= 0)
      out.tokens.push_back(vocabulary_.one());
    else
      append_constant(out, 1.0);
  }
  append_affine(out, match, has_scale, has_offset);
  if (wrapper.exponent != 0.0 && !is_division) append_constant(out, wrapper.exponent);
}

void Splicing::append_affine(Formula& out, const Dictionary::Match& match, bool has_scale,
                             bool has_offset) const {
  const TokenId sum = drawing_.find(Op::Add), product = drawing_.find(Op::Mul);
  if (has_offset && sum >= 0) {
    out.tokens.push_back(sum);
    append_constant(out, match.offset);
  }
  if (has_scale && product >= 0) {
    out.tokens.push_back(product);
    append_constant(out, match.scale);
  }
  const Formula entry = dictionary_.formula(vocabulary_, match.entry);
  out.tokens.insert(out.tokens.end(), entry.tokens.begin(), entry.tokens.end());
  out.constants.insert(out.constants.end(), entry.constants.begin(), entry.constants.end());
}

// Appends tokens [begin, end) of the parent with their constants.
void Splicing::append_part(Formula& out, const Formula& parent, int begin, int end) const {
  out.tokens.insert(out.tokens.end(), parent.tokens.begin() + begin, parent.tokens.begin() + end);
  const int first = constants_before(vocabulary_, parent.tokens, begin);
  const int last = constants_before(vocabulary_, parent.tokens, end);
  out.constants.insert(out.constants.end(), parent.constants.begin() + first,
                       parent.constants.begin() + last);
}

void Splicing::append_constant(Formula& out, double value) const {
  out.tokens.push_back(vocabulary_.constant());
  out.constants.push_back(value);
}

}  // namespace ddsr

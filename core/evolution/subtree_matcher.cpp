#include "evolution/subtree_matcher.hpp"

#include <array>
#include <cmath>

#include "expression/tree.hpp"

namespace ddsr {

namespace {

constexpr std::size_t N_MATCHES = 6;
constexpr double TERM_RATE = 0.3, FACTOR_RATE = 0.3;
// Probability of using the parent's own offset, and otherwise of using its scale.
constexpr double OFFSET_RATE = 0.6, SCALE_RATE = 0.5;
// Probability of skipping the best match for the next one, and so on.
constexpr double NEXT_RATE = 0.4;
constexpr double POWER_RATE = 0.25, FUNCTION_RATE = 0.25;
constexpr std::array EXPONENTS{-1.0, -1.0, -1.0, 2.0, 0.5, -2.0, -0.5, 3.0};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

SubtreeMatcher::SubtreeMatcher(const Vocabulary& vocabulary, const Drawing& drawing,
                               const Dictionary& dictionary, bool is_scale_free, const Units* units)
    : vocabulary_(vocabulary),
      drawing_(drawing),
      dictionary_(dictionary),
      splicing_(vocabulary, drawing, dictionary),
      is_scale_free_(is_scale_free),
      units_(units),
      wanted_(vocabulary, dictionary.rows()) {}

Formula SubtreeMatcher::match(const Formula& parent, int first, int last, RandomSource& random) {
  if (dictionary_.size() == 0 || vocabulary_.constant() < 0) return parent;
  const Site place = draw_place(parent, first, last, random);
  const Wrapper wrapper = draw_wrapper(random);
  const std::optional<Unit> unit = unit_at(parent, place, wrapper);
  if (units_ != nullptr && !unit) return parent;
  const bool is_whole = place.begin == 0 && place.beside == Beside::Nothing;
  if (!wanted_.evaluate(parent) || !want_target(is_whole, random)) return parent;
  Freedom freedom{is_scale_free_, is_scale_free_ && dictionary_.rows().has_offset()};
  if (!wanted_.carry_down(place.begin, freedom)) return parent;
  const double* kept = place.beside == Beside::Nothing ? nullptr : wanted_.values_at(place.kept_begin);
  // A term's factor can be free only if the new expression enters the wanted values linearly.
  const bool is_joint = place.beside == Beside::Term && wrapper.token < 0;
  if (kept != nullptr && !is_joint)
    wanted_.carry_through(place.beside == Beside::Term ? Op::Add : Op::Mul, false, kept, nullptr);
  wanted_.carry_below(wrapper);
  if (!wanted_.weigh()) return parent;
  const Dictionary::Query query{wanted_.values(), wanted_.weights(), is_joint ? kept : nullptr, unit};
  const std::vector<Dictionary::Match> matches = dictionary_.nearest(query, N_MATCHES, scratch_);
  if (matches.empty()) return parent;
  std::size_t rank = 0;
  while (rank + 1 < matches.size() && random.chance(NEXT_RATE)) ++rank;
  return splicing_.with_match(parent, place, wrapper, matches[rank], freedom);
}

// The unit that the entry needs; nothing without units, or if none will do.
std::optional<Unit> SubtreeMatcher::unit_at(const Formula& parent, const Site& place,
                                            const Wrapper& wrapper) const {
  if (units_ == nullptr) return {};
  if (place.beside == Beside::Factor) return unit_below(vocabulary_, wrapper, {});
  const std::optional<Unit> unit = needed_unit(vocabulary_, *units_, parent, place.begin);
  return unit ? unit_below(vocabulary_, wrapper, *unit) : std::nullopt;
}

// Draws any subtree, which is either replaced or kept beside the new part. If a term of a sum is replaced,
// the other terms are kept beside.
Site SubtreeMatcher::draw_place(const Formula& parent, int first, int last, RandomSource& random) const {
  const int begin = first + random.below(last - first);
  const int end = subtree_end(vocabulary_, parent.tokens, begin);
  const double mark = random.uniform();
  const bool is_constant = vocabulary_.is_constant_like(parent.tokens[at(begin)]);
  if (mark < TERM_RATE && !is_constant && drawing_.find(Op::Add) >= 0)
    return {begin, end, Beside::Term, begin, end};
  if (mark < TERM_RATE + FACTOR_RATE && !is_constant && drawing_.find(Op::Mul) >= 0)
    return {begin, end, Beside::Factor, begin, end};
  for (int above = first; above < begin; ++above) {
    const Token& token = vocabulary_[parent.tokens[at(above)]];
    if (token.arity != 2 || token.op != Op::Add) continue;
    const int left = above + 1, right = subtree_end(vocabulary_, parent.tokens, left);
    const int behind = subtree_end(vocabulary_, parent.tokens, right);
    if (begin == left) return {above, behind, Beside::Term, right, behind};
    if (begin == right) return {above, behind, Beside::Term, left, right};
  }
  return {begin, end};
}

Wrapper SubtreeMatcher::draw_wrapper(RandomSource& random) const {
  const double mark = random.uniform();
  const TokenId power = drawing_.find(Op::Pow);
  if (mark < POWER_RATE && power >= 0 && drawing_.find(Op::Div) >= 0) {
    const double exponent = EXPONENTS[at(random.below(static_cast<int>(EXPONENTS.size())))];
    const TokenId division = drawing_.find(Op::Div);
    return {exponent == -1.0 ? division : power, exponent};
  }
  if (mark < POWER_RATE + FUNCTION_RATE && drawing_.has_unary()) return {drawing_.unary(random), 0.0};
  return {};
}

// The root should be y, less the model's offset, over its scale. If the parent is far from the target, both
// are wrong, and y itself or a multiple of it may be the better guess. If the whole parent is replaced, only
// y remains.
bool SubtreeMatcher::want_target(bool is_whole, RandomSource& random) {
  const Dataset& rows = dictionary_.rows();
  const std::size_t n = rows.n_rows();
  const double *f = wanted_.values_at(0), *y = rows.y();
  auto weight = [&](std::size_t row) { return rows.weights() == nullptr ? 1.0 : rows.weights()[row]; };
  double scale = 1.0, offset = 0.0;
  const bool has_offset = random.chance(OFFSET_RATE) && rows.has_offset(),
             has_scale = random.chance(SCALE_RATE) || has_offset;
  if (is_scale_free_ && has_scale && !is_whole) {
    double mean = 0.0, squares = 0.0, product = 0.0;
    const double center = has_offset ? rows.center() : 0.0;
    for (std::size_t row = 0; row < n && has_offset; ++row)
      mean += weight(row) * f[row] / rows.total_weight();
    for (std::size_t row = 0; row < n; ++row) {
      squares += weight(row) * (f[row] - mean) * (f[row] - mean);
      product += weight(row) * (f[row] - mean) * (y[row] - center);
    }
    scale = product / squares;
    if (!std::isfinite(scale) || scale == 0.0) return false;
    offset = center - scale * mean;
  }
  wanted_.want(scale, offset);
  return true;
}

}  // namespace ddsr

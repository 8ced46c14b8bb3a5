#include "evolution/subtree_matcher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "evolution/inversion.hpp"
#include "expression/tree.hpp"

namespace ddsr {

namespace {

constexpr std::size_t N_MATCHES = 6;
// Share of the rows on which there must be a value to match.
constexpr double LEAST_ROWS = 0.75;
// Of the mean: no row counts for more, since far from the target the weights say little.
constexpr double MOST_WEIGHT = 20.0;
// A scale so near to 1 is left to be 1.
constexpr double NEAR_ONE = 1e-3;
constexpr double TERM_RATE = 0.3, FACTOR_RATE = 0.3;
// How often the parent's own offset is believed, and its scale where the offset is not.
constexpr double OFFSET_RATE = 0.6, SCALE_RATE = 0.5;
// Of the matches the best is taken, or with this chance the next, and so on.
constexpr double NEXT_RATE = 0.4;
// Of what is wanted: as near to 0 as no sketch may come, and how far towards the mean it is moved then.
constexpr double TOO_NEAR = 0.5, WELL_AWAY = 0.05;
constexpr double POWER_RATE = 0.25, FUNCTION_RATE = 0.25;
constexpr std::array EXPONENTS{-1.0, -1.0, -1.0, 2.0, 0.5, -2.0, -0.5, 3.0};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// A constant factor of the operand is one of the result.
bool keeps_scale(Op op, bool is_first) {
  switch (op) {
    case Op::Mul:
    case Op::Div:
    case Op::Neg:
    case Op::Sqrt:
    case Op::Inverse:
    case Op::Square:
    case Op::Cube:
    case Op::Abs:
      return true;
    case Op::Pow:
      return is_first;
    default:
      return false;
  }
}

}  // namespace

SubtreeMatcher::SubtreeMatcher(const Vocabulary& vocabulary, const Drawing& drawing,
                               const Dictionary& dictionary, bool is_scale_free)
    : vocabulary_(vocabulary), drawing_(drawing), dictionary_(dictionary), is_scale_free_(is_scale_free) {
  const std::size_t stride = padded(dictionary.rows().n_rows());
  wanted_.resize(stride), weights_.resize(stride);
  wrappers_.push_back({});
  const TokenId power = drawing.find(Op::Pow), division = drawing.find(Op::Div);
  if (division >= 0) wrappers_.push_back({division, -1.0});
  for (const double exponent : {2.0, -2.0, 0.5, -0.5, 3.0})
    if (power >= 0) wrappers_.push_back({power, exponent});
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id)
    if (vocabulary.arity(id) == 1 && drawing.find(vocabulary[id].op) >= 0) wrappers_.push_back({id, 0.0});
}

std::size_t SubtreeMatcher::n_sketches() const {
  if (dictionary_.size() == 0 || vocabulary_.constant() < 0) return 0;
  const std::size_t n_factors = std::min(dictionary_.size(), MOST_FACTORS);
  return (1 + 3 * n_factors) * wrappers_.size() * MOST_SKETCHED;
}

std::optional<Formula> SubtreeMatcher::sketch(std::size_t index) {
  const std::size_t begun = index / MOST_SKETCHED, rank = index % MOST_SKETCHED;
  if (begun != sketched_index_) sketched_ = sketched(begun), sketched_index_ = begun;
  if (rank >= sketched_.size()) return {};
  return sketched_[rank];
}

std::vector<Formula> SubtreeMatcher::sketched(std::size_t index) {
  const Wrapper wrapper = wrappers_[index % wrappers_.size()];
  const std::optional<Outline> outline = outline_of(index / wrappers_.size());
  if (!outline || !evaluate(outline->formula)) return {};
  want(1.0, 0.0);
  Freedom freedom{is_scale_free_, is_scale_free_};
  if (!carry_down(node_at(outline->formula, outline->place), freedom)) return {};
  want_below(wrapper);
  if (!weigh()) return {};
  const Dictionary::Query query{wanted_.data(), weights_.data(), nullptr};
  std::vector<Formula> found;
  // curves of all families where they are likeliest
  const Op above = wrapper.token < 0 ? Op::Div : vocabulary_[wrapper.token].op;
  const bool has_curves = above == Op::Div || above == Op::Exp || above == Op::Log;
  for (const Dictionary::Match& match : has_curves ? dictionary_.nearest_of_all(query, N_SKETCHED, scratch_)
                                                   : dictionary_.nearest(query, N_SKETCHED, scratch_))
    found.push_back(with_match(outline->formula, {outline->place, outline->place + 1}, wrapper,
                               of_one_sign(match), freedom));
  return found;
}

std::optional<SubtreeMatcher::Outline> SubtreeMatcher::outline_of(std::size_t index) const {
  if (vocabulary_.constant() < 0) return {};
  Outline outline{{{vocabulary_.constant()}, {1.0}}, 0};
  if (index == 0) return outline;
  enum Way { TIMES, OVER, UNDER };
  const auto way = static_cast<Way>((index - 1) % 3);
  const TokenId token = drawing_.find(way == TIMES ? Op::Mul : Op::Div);
  if (token < 0) return {};
  const Formula factor = dictionary_.formula(vocabulary_, (index - 1) / 3);
  auto insert = [](auto& into, int place, const auto& part) {
    into.insert(into.begin() + place, part.begin(), part.end());
  };
  insert(outline.formula.tokens, way == OVER ? 1 : 0, factor.tokens);
  insert(outline.formula.constants, way == OVER ? 1 : 0, factor.constants);
  outline.formula.tokens.insert(outline.formula.tokens.begin(), token);
  outline.place = way == OVER ? 1 : static_cast<int>(outline.formula.tokens.size()) - 1;
  return outline;
}

Formula SubtreeMatcher::match(const Formula& parent, RandomSource& random) {
  if (dictionary_.size() == 0 || vocabulary_.constant() < 0) return parent;
  const Place place = draw_place(parent, random);
  const Wrapper wrapper = draw_wrapper(random);
  const bool is_whole = place.begin == 0 && place.beside == Beside::Nothing;
  if (!evaluate(parent) || !want_target(is_whole, random)) return parent;
  Freedom freedom{is_scale_free_, is_scale_free_};
  if (!carry_down(node_at(parent, place.begin), freedom)) return parent;
  const double* kept =
      place.beside == Beside::Nothing ? nullptr : evaluator_.node_values(node_at(parent, place.kept_begin));
  // A term's share can be free only where the new expression is linear in what is wanted.
  const bool is_joint = place.beside == Beside::Term && wrapper.token < 0;
  if (kept != nullptr && !is_joint)
    carry_through(place.beside == Beside::Term ? Op::Add : Op::Mul, false, kept, nullptr);
  want_below(wrapper);
  if (!weigh()) return parent;
  const Dictionary::Query query{wanted_.data(), weights_.data(), is_joint ? kept : nullptr};
  const std::vector<Dictionary::Match> matches = dictionary_.nearest(query, N_MATCHES, scratch_);
  if (matches.empty()) return parent;
  std::size_t rank = 0;
  while (rank + 1 < matches.size() && random.chance(NEXT_RATE)) ++rank;
  return with_match(parent, place, wrapper, matches[rank], freedom);
}

// The node of the program that is the token at `begin`.
int SubtreeMatcher::node_at(const Formula& formula, int begin) const {
  const std::vector<int> order = breadth_first_from_prefix(vocabulary_, formula.tokens);
  return static_cast<int>(std::find(order.begin(), order.end(), begin) - order.begin());
}

// Any subtree, which is replaced or stays beside what is new; a term that is replaced leaves the others of
// its sum beside.
SubtreeMatcher::Place SubtreeMatcher::draw_place(const Formula& parent, RandomSource& random) const {
  const int begin = random.below(static_cast<int>(parent.tokens.size()));
  const int end = subtree_end(vocabulary_, parent.tokens, begin);
  const double mark = random.uniform();
  const bool is_constant = vocabulary_.is_constant_like(parent.tokens[at(begin)]);
  if (mark < TERM_RATE && !is_constant && drawing_.find(Op::Add) >= 0)
    return {begin, end, Beside::Term, begin, end};
  if (mark < TERM_RATE + FACTOR_RATE && !is_constant && drawing_.find(Op::Mul) >= 0)
    return {begin, end, Beside::Factor, begin, end};
  for (int above = 0; above < begin; ++above) {
    const Token& token = vocabulary_[parent.tokens[at(above)]];
    if (token.arity != 2 || token.op != Op::Add) continue;
    const int first = above + 1, second = subtree_end(vocabulary_, parent.tokens, first);
    const int last = subtree_end(vocabulary_, parent.tokens, second);
    if (begin == first) return {above, last, Beside::Term, second, last};
    if (begin == second) return {above, last, Beside::Term, first, second};
  }
  return {begin, end};
}

bool SubtreeMatcher::evaluate(const Formula& parent) {
  const Dataset& rows = dictionary_.rows();
  const Formula breadth_first = breadth_first_of(vocabulary_, parent);
  program_ = compile(vocabulary_, breadth_first.tokens);
  parents_.assign(program_.nodes.size(), -1);
  for (std::size_t i = 0; i < program_.nodes.size(); ++i)
    for (const int child : {program_.nodes[i].a, program_.nodes[i].b})
      if (child >= 0) parents_[at(child)] = static_cast<int>(i);
  evaluator_.load(program_, static_cast<int>(rows.n_rows()), 1);
  evaluator_.set_constants(breadth_first.constants.data());
  evaluator_.forget(0);
  evaluator_.values(rows.columns(0), static_cast<int>(rows.n_rows()));
  return evaluator_.is_finite();
}

// What the root should be: y, less the model's own offset and scale. A parent that is far from the target has
// neither right: then y itself, or a multiple of it, may be the better guess, and one that is replaced as a
// whole leaves nothing but y.
bool SubtreeMatcher::want_target(bool is_whole, RandomSource& random) {
  const Dataset& rows = dictionary_.rows();
  const std::size_t n = rows.n_rows();
  const double *f = evaluator_.node_values(0), *y = rows.y();
  auto weight = [&](std::size_t row) { return rows.weights() == nullptr ? 1.0 : rows.weights()[row]; };
  double scale = 1.0, offset = 0.0;
  const bool has_offset = random.chance(OFFSET_RATE), has_scale = random.chance(SCALE_RATE) || has_offset;
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
  want(scale, offset);
  return true;
}

void SubtreeMatcher::want(double scale, double offset) {
  const Dataset& rows = dictionary_.rows();
  for (std::size_t row = 0; row < rows.n_rows(); ++row) {
    wanted_[row] = (rows.y()[row] - offset) / scale;
    weights_[row] = rows.weights() == nullptr ? 1.0 : rows.weights()[row];
  }
}

bool SubtreeMatcher::carry_down(int node, Freedom& freedom) {
  std::vector<int> path;
  for (int i = node; i >= 0; i = parents_[at(i)]) path.push_back(i);
  std::reverse(path.begin(), path.end());
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const Node& above = program_.nodes[at(path[k])];
    const bool is_first = above.a == path[k + 1];
    if (above.op == Op::Pow && !is_first) return false;
    const int sibling = is_first ? above.b : above.a;
    carry_through(above.op, is_first, sibling < 0 ? nullptr : evaluator_.node_values(sibling),
                  evaluator_.node_values(path[k + 1]));
    freedom.scale = freedom.scale && keeps_scale(above.op, is_first);
    freedom.offset = freedom.offset && (above.op == Op::Add || above.op == Op::Sub || above.op == Op::Neg);
  }
  return true;
}

void SubtreeMatcher::carry_through(Op op, bool is_first, const double* other, const double* current) {
  for (std::size_t row = 0; row < dictionary_.rows().n_rows(); ++row) {
    const Needed needed = needed_operand(op, is_first, wanted_[row], other == nullptr ? 0.0 : other[row],
                                         current == nullptr ? 0.0 : current[row]);
    wanted_[row] = needed.value;
    weights_[row] *= needed.slope * needed.slope;
  }
}

SubtreeMatcher::Wrapper SubtreeMatcher::draw_wrapper(RandomSource& random) const {
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

void SubtreeMatcher::want_below(const Wrapper& wrapper) {
  if (wrapper.token < 0) return;
  if (wrapper.exponent == 0.0) return carry_through(vocabulary_[wrapper.token].op, true, nullptr, nullptr);
  constant_.assign(wanted_.size(), wrapper.exponent);
  carry_through(Op::Pow, true, constant_.data(), nullptr);
}

// Rows without a wanted value get no weight; false where too few are left.
bool SubtreeMatcher::weigh() {
  const std::size_t n = dictionary_.rows().n_rows();
  std::size_t n_left = 0;
  double total = 0.0;
  for (std::size_t row = 0; row < n; ++row) {
    const bool is_known = std::isfinite(wanted_[row]) && std::isfinite(weights_[row]) && weights_[row] > 0.0;
    if (!is_known) weights_[row] = 0.0;
    n_left += is_known, total += weights_[row];
  }
  if (static_cast<double>(n_left) < LEAST_ROWS * static_cast<double>(n) || n_left < 4) return false;
  const double most = MOST_WEIGHT * total / static_cast<double>(n_left);
  for (std::size_t row = 0; row < n; ++row) weights_[row] = std::min(weights_[row], most);
  return std::isfinite(total);
}

// What has rough numbers may come near 0, or cross it, where what is wanted does not: a pole from which no
// fit would come back, on these rows or on others. Its offset is moved until it is well away.
Dictionary::Match SubtreeMatcher::of_one_sign(Dictionary::Match match) const {
  double least = std::numeric_limits<double>::infinity(), most = -least, lowest = least, highest = -least;
  double mean = 0.0, n = 0.0;
  for (std::size_t row = 0; row < dictionary_.rows().n_rows(); ++row) {
    if (weights_[row] == 0.0) continue;
    const double found = match.scale * dictionary_.value(match.entry, row) + match.offset;
    least = std::min(least, wanted_[row]), most = std::max(most, wanted_[row]);
    lowest = std::min(lowest, found), highest = std::max(highest, found);
    mean += wanted_[row], n += 1.0;
  }
  mean /= n;
  if (least > 0.0 && lowest < TOO_NEAR * least) match.offset += least + WELL_AWAY * (mean - least) - lowest;
  if (most < 0.0 && highest > TOO_NEAR * most) match.offset += most + WELL_AWAY * (mean - most) - highest;
  return match;
}

Formula SubtreeMatcher::with_match(const Formula& parent, const Place& place, const Wrapper& wrapper,
                                   Dictionary::Match match, Freedom freedom) const {
  Formula child;
  append_part(child, parent, 0, place.begin);
  const bool divides = place.beside == Beside::Factor && wrapper.exponent == -1.0;
  if (place.beside != Beside::Nothing) {
    child.tokens.push_back(divides ? wrapper.token
                                   : drawing_.find(place.beside == Beside::Term ? Op::Add : Op::Mul));
    const bool has_share = std::fabs(match.share - 1.0) > NEAR_ONE, is_product = drawing_.find(Op::Mul) >= 0;
    if (has_share && freedom.scale)
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

void SubtreeMatcher::append_wrapped(Formula& out, const Wrapper& wrapper, Dictionary::Match match,
                                    Freedom freedom) const {
  bool has_scale = std::fabs(match.scale - 1.0) > NEAR_ONE, has_offset = match.offset != 0.0;
  const Op op = wrapper.token < 0 ? Op::Add : vocabulary_[wrapper.token].op;
  const bool is_power = wrapper.token >= 0 && (wrapper.exponent != 0.0 || op == Op::Sqrt);
  if (wrapper.token < 0 && freedom.offset) has_offset = false;
  if (freedom.scale && (wrapper.token < 0 || (is_power && (match.scale > 0.0 || !has_offset)))) {
    // the model's own scale does what this one would, which a fit could not tell from it
    match.offset /= match.scale;
    has_scale = false;
  }
  if (op == Op::Exp) {
    if (freedom.scale) has_offset = false;
  }
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

void SubtreeMatcher::append_affine(Formula& out, const Dictionary::Match& match, bool has_scale,
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

// Tokens [begin, end) of the parent with their constants.
void SubtreeMatcher::append_part(Formula& out, const Formula& parent, int begin, int end) const {
  out.tokens.insert(out.tokens.end(), parent.tokens.begin() + begin, parent.tokens.begin() + end);
  const int first = constants_before(vocabulary_, parent.tokens, begin);
  const int last = constants_before(vocabulary_, parent.tokens, end);
  out.constants.insert(out.constants.end(), parent.constants.begin() + first,
                       parent.constants.begin() + last);
}

void SubtreeMatcher::append_constant(Formula& out, double value) const {
  out.tokens.push_back(vocabulary_.constant());
  out.constants.push_back(value);
}

}  // namespace ddsr

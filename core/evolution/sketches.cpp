#include "evolution/sketches.hpp"

#include <algorithm>
#include <limits>

namespace ddsr {

namespace {

// Relative to the wanted value nearest to 0, how near to 0 a sketch may come; and relative to the distance
// from the mean, how far it is moved away otherwise.
constexpr double TOO_NEAR = 0.5, WELL_AWAY = 0.05;

// How the unknown part combines with the factor.
enum Way : std::size_t { TIMES, OVER, UNDER, N_WAYS };

}  // namespace

Sketches::Sketches(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary,
                   bool is_scale_free, const Units* units)
    : vocabulary_(vocabulary),
      drawing_(drawing),
      dictionary_(dictionary),
      splicing_(vocabulary, drawing, dictionary),
      is_scale_free_(is_scale_free),
      units_(units),
      wanted_(vocabulary, dictionary.rows()) {
  wrappers_.push_back({});
  const TokenId power = drawing.find(Op::Pow), division = drawing.find(Op::Div);
  if (division >= 0) wrappers_.push_back({division, -1.0});
  for (const double exponent : {2.0, -2.0, 0.5, -0.5, 3.0})
    if (power >= 0) wrappers_.push_back({power, exponent});
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id)
    if (vocabulary.arity(id) == 1 && drawing.find(vocabulary[id].op) >= 0) wrappers_.push_back({id, 0.0});
  const std::size_t n_factors = std::min(dictionary.simplest().size(), MOST_FACTORS);
  const bool can_begin = n_factors > 0 && vocabulary.constant() >= 0;
  n_beginnings_ = can_begin ? (1 + N_WAYS * n_factors) * wrappers_.size() : 0;
}

// The cursor reserves the maximum number of completions for each beginning.
std::optional<Formula> Sketches::next(std::uint64_t& cursor) {
  while (has_next(cursor)) {
    const std::uint64_t beginning = cursor / MOST_COMPLETED, rank = cursor % MOST_COMPLETED;
    if (beginning != beginning_) completed_ = completed(beginning), beginning_ = beginning;
    if (rank < completed_.size()) {
      ++cursor;
      return completed_[rank];
    }
    cursor = (beginning + 1) * MOST_COMPLETED;
  }
  return {};
}

std::vector<Formula> Sketches::completed(std::uint64_t beginning) {
  const Wrapper wrapper = wrappers_[beginning % wrappers_.size()];
  const std::optional<Outline> outline = outline_of(beginning / wrappers_.size());
  if (!outline || !wanted_.evaluate(outline->formula)) return {};
  std::optional<Unit> unit;
  if (units_ != nullptr) {
    unit = needed_unit(vocabulary_, *units_, outline->formula, outline->place);
    if (unit) unit = unit_below(vocabulary_, wrapper, *unit);
    if (!unit) return {};
  }
  wanted_.want(1.0, 0.0);
  Freedom freedom{is_scale_free_, is_scale_free_ && dictionary_.rows().has_offset()};
  if (!wanted_.carry_down(outline->place, freedom)) return {};
  wanted_.carry_below(wrapper);
  if (!wanted_.weigh()) return {};
  // Curves of all families only where they are most likely.
  const Op above = wrapper.token < 0 ? Op::Div : vocabulary_[wrapper.token].op;
  const bool has_families = above == Op::Div || above == Op::Exp || above == Op::Log;
  const Dictionary::Query query{wanted_.values(), wanted_.weights(), nullptr, unit};
  const Site place{outline->place, outline->place + 1};
  std::vector<Formula> formulas;
  for (const Dictionary::Match& match : dictionary_.nearest(query, N_COMPLETED, scratch_, has_families)) {
    const bool can_shift = !unit || unit->is_number();
    formulas.push_back(splicing_.with_match(outline->formula, place, wrapper,
                                            can_shift ? of_one_sign(match) : match, freedom));
  }
  return formulas;
}

std::optional<Sketches::Outline> Sketches::outline_of(std::size_t index) const {
  Outline outline{{{vocabulary_.constant()}, {1.0}}, 0};
  if (index == 0) return outline;
  const auto way = static_cast<Way>((index - 1) % N_WAYS);
  const TokenId token = drawing_.find(way == TIMES ? Op::Mul : Op::Div);
  if (token < 0) return {};
  const Formula factor = dictionary_.formula(vocabulary_, dictionary_.simplest()[(index - 1) / N_WAYS]);
  auto insert = [](auto& into, int place, const auto& part) {
    into.insert(into.begin() + place, part.begin(), part.end());
  };
  insert(outline.formula.tokens, way == OVER ? 1 : 0, factor.tokens);
  insert(outline.formula.constants, way == OVER ? 1 : 0, factor.constants);
  outline.formula.tokens.insert(outline.formula.tokens.begin(), token);
  outline.place = way == OVER ? 1 : static_cast<int>(outline.formula.tokens.size()) - 1;
  return outline;
}

// A match with rough parameters may come near 0 or cross it where the wanted values do not. No fit would
// return from the pole this makes. So the offset is moved until all values are well away from 0.
Dictionary::Match Sketches::of_one_sign(Dictionary::Match match) const {
  double least = std::numeric_limits<double>::infinity(), most = -least, lowest = least, highest = -least;
  double mean = 0.0, n = 0.0;
  for (std::size_t row = 0; row < dictionary_.rows().n_rows(); ++row) {
    if (wanted_.weights()[row] == 0.0) continue;
    const double found = match.scale * dictionary_.value(match.entry, row) + match.offset;
    least = std::min(least, wanted_.values()[row]), most = std::max(most, wanted_.values()[row]);
    lowest = std::min(lowest, found), highest = std::max(highest, found);
    mean += wanted_.values()[row], n += 1.0;
  }
  mean /= n;
  if (least > 0.0 && lowest < TOO_NEAR * least) match.offset += least + WELL_AWAY * (mean - least) - lowest;
  if (most < 0.0 && highest > TOO_NEAR * most) match.offset += most + WELL_AWAY * (mean - most) - highest;
  return match;
}

}  // namespace ddsr

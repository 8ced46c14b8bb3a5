// What a dictionary has in addition if the units of the variables are known.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "evolution/dictionary_maker.hpp"

namespace ddsr {

namespace {

// At most one entry in this many is a group.
constexpr std::size_t PART_OF_GROUPS = 4;
constexpr std::size_t MOST_TRIED_GROUPS = 40'000;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

// The shapes of each unit, the cheapest first: the entries, those that have the same value in every row, and
// the curves.
void DictionaryMaker::sort_by_unit() {
  Dictionary& dictionary = dictionary_;
  for (const int shape : dictionary.entries_) dictionary.units_.push_back(shape_units_[at(shape)]);
  std::vector<std::pair<std::size_t, int>> by_cost;
  for (const std::size_t entry : dictionary.simplest_)
    by_cost.emplace_back(costs_[entry], dictionary.entries_[entry]);
  for (const auto& [shape, cost] : unvarying_) by_cost.emplace_back(cost, shape);
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [cost, shape] : by_cost) dictionary.by_unit_[shape_units_[at(shape)]].push_back(shape);
  for (std::size_t entry = dictionary.simplest_.size(); entry < dictionary.entries_.size(); ++entry)
    dictionary.by_unit_[dictionary.units_[entry]].push_back(dictionary.entries_[entry]);
}

// Adds ratios of shapes of equal unit, which are numbers, and products and ratios with the unit of the
// target. They may have many factors, and chance would hardly draw them.
void DictionaryMaker::add_groups(std::size_t max_entries) {
  const std::size_t most = std::min(max_entries, dictionary_.entries_.size() + max_entries / PART_OF_GROUPS);
  std::array<std::map<Unit, std::vector<int>>, COST_OF_GROUPS> of_unit;
  for (std::size_t cost = 1; cost < COST_OF_GROUPS; ++cost)
    for (const int shape : by_cost_[cost]) of_unit[cost][shape_units_[at(shape)]].push_back(shape);
  const TokenId times = vocabulary_.find(Op::Mul), over = vocabulary_.find(Op::Div);
  std::size_t n_tried = 0;
  auto add_pairs = [&](TokenId token, int a, const std::optional<Unit>& wanted, std::size_t cost) {
    const auto found = wanted && token >= 0 ? of_unit[cost].find(*wanted) : of_unit[cost].end();
    if (found == of_unit[cost].end()) return;
    for (const int b : found->second)
      if (dictionary_.entries_.size() < most && n_tried++ < MOST_TRIED_GROUPS)
        add_pair(token, a, b, COST_OF_GROUPS);
  };
  for (std::size_t both = COST_OF_GROUPS; both <= 2 * (COST_OF_GROUPS - 1); ++both)
    for (std::size_t cost = both - COST_OF_GROUPS + 1; cost < COST_OF_GROUPS; ++cost)
      for (const auto& [unit, shapes] : of_unit[cost])
        for (const int a : shapes) {
          if (unit.is_number()) break;
          add_pairs(over, a, unit, both - cost);
          add_pairs(over, a, quotient(unit, units_->of_target), both - cost);
          add_pairs(times, a, quotient(units_->of_target, unit), both - cost);
        }
}

bool DictionaryMaker::has_unit(int shape) const {
  return units_ != nullptr && !shape_units_[at(shape)].is_number();
}

// Adds the unit of the shape to the list if it has one.
bool DictionaryMaker::has_consistent_units(const Shape& shape) {
  const Token& token = vocabulary_[shape.token];
  if (shape.a < 0) {
    shape_units_.push_back(units_->of_variables[at(token.variable)]);
    return true;
  }
  const Unit operand = shape_units_[at(shape.a)];
  if (shape.shift != 0.0 && !operand.is_number()) return false;
  const std::optional<Unit> other = shape.b < 0 ? std::nullopt : std::optional(shape_units_[at(shape.b)]);
  const std::optional<Unit> unit = result_unit(unit_law(token), operand, other, shape.exponent);
  if (unit) shape_units_.push_back(*unit);
  return unit.has_value();
}

}  // namespace ddsr

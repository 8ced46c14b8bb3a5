#include "grammar/unit_tables.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ddsr {

namespace {

using Cost = UnitTables::Cost;
using Costs = UnitTables::Costs;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void lower(Cost& cost, int other) { cost = static_cast<Cost>(std::min<int>(cost, other)); }

// The units that at most `limit` tokens make.
class Known {
 public:
  Known(const Costs& costs, int limit) {
    for (std::size_t unit = 0; unit < costs.size(); ++unit)
      if (costs[unit] <= limit) known_[n_++] = {static_cast<int>(unit), costs[unit]};
  }
  const std::pair<int, int>* begin() const { return known_.data(); }
  const std::pair<int, int>* end() const { return known_.data() + n_; }

 private:
  std::array<std::pair<int, int>, 2 * UnitTables::MOST_UNITS> known_;
  std::size_t n_ = 0;
};

}  // namespace

UnitTables::UnitTables(const Vocabulary& vocabulary, const Units& units, const NestingContexts& contexts,
                       const TokenSets& directly_below, int max_length)
    : n_operators_(vocabulary.n_operators()), n_tokens_(vocabulary.size()) {
  for (TokenId id = 0; id < n_operators_; ++id) laws_.push_back(unit_law(vocabulary[id]));
  find_units(vocabulary, units, max_length);
  tabulate();
  for (TokenId id = 0; id < n_tokens_; ++id) {
    const Token& token = vocabulary[id];
    const Unit unit = token.kind == Kind::Variable ? units.of_variables[at(token.variable)] : Unit{};
    of_leaf_.push_back(token.kind == Kind::Operator ? -1 : index_.at(unit));
  }
  price_slots(vocabulary, contexts, directly_below);
  price_tokens(vocabulary, contexts);
}

// The units of products and quotients of variables, by the fewest tokens that make them.
void UnitTables::find_units(const Vocabulary& vocabulary, const Units& units, int max_length) {
  const bool multiplies = vocabulary.find(Op::Mul) >= 0, divides = vocabulary.find(Op::Div) >= 0;
  std::map<Unit, int> costs;
  std::set<std::pair<int, Unit>> open;
  auto offer = [&](const std::optional<Unit>& unit, int cost) {
    if (!unit || cost > max_length) return;
    const auto [known, is_new] = costs.try_emplace(*unit, cost);
    if (!is_new && known->second <= cost) return;
    open.erase({known->second, *unit});
    known->second = cost;
    open.insert({cost, *unit});
  };
  auto keep = [&](const Unit& unit, int cost) {
    if (index_.try_emplace(unit, static_cast<int>(units_.size())).second)
      units_.push_back(unit), least_.push_back(static_cast<Cost>(cost));
  };
  for (const Unit& unit : units.of_variables) offer(unit, 1);
  while (!open.empty() && units_.size() < MOST_UNITS) {
    const auto [cost, unit] = *open.begin();
    open.erase(open.begin());
    keep(unit, cost);
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const int both = cost + least_[i] + 1;
      if (multiplies) offer(ddsr::product(unit, units_[i]), both);
      if (divides) offer(ddsr::quotient(unit, units_[i]), both), offer(ddsr::quotient(units_[i], unit), both);
    }
  }
  auto keep_known = [&](const Unit& unit) {
    const auto known = costs.find(unit);
    keep(unit, known == costs.end() ? NEVER : known->second);
  };
  keep_known({});
  keep_known(units.of_target);
  for (const Unit& unit : units.of_variables) keep_known(unit);
  for (const UnitLaw& law : laws_)
    if (law.kind == UnitLaw::Kind::Degree)
      if (const std::optional<Unit> unit = power(units.of_target, 1.0 / law.degree)) keep_known(*unit);
  number_ = index_.at({}), target_ = index_.at(units.of_target);
}

void UnitTables::tabulate() {
  auto index_of = [&](const std::optional<Unit>& unit) {
    const auto found = unit ? index_.find(*unit) : index_.end();
    return static_cast<std::int16_t>(found == index_.end() ? -1 : found->second);
  };
  for (const Unit& a : units_)
    for (const Unit& b : units_) {
      products_.push_back(index_of(ddsr::product(a, b)));
      quotients_.push_back(index_of(ddsr::quotient(a, b)));
    }
  for (const UnitLaw& law : laws_)
    for (const Unit& unit : units_)
      results_.push_back(law.kind == UnitLaw::Kind::Degree ? index_of(power(unit, law.degree)) : -1);
}

// The tokens of products and quotients of variables, or of variables alone where rules change on the way down
// or do not allow all variables.
Costs UnitTables::closing(const Vocabulary& vocabulary, const NestingContexts& contexts, int context) const {
  const Word* allowed = contexts.allowed(context);
  bool is_stable = true;
  for (const Op op : {Op::Mul, Op::Div}) {
    const TokenId id = vocabulary.find(op);
    if (id >= 0) is_stable = is_stable && has(allowed, id) && contexts.below(context, id) == context;
  }
  for (TokenId id = vocabulary.first_variable(); id < n_tokens_; ++id)
    is_stable = is_stable && has(allowed, id);
  if (is_stable) return least_;
  Costs costs(units_.size(), NEVER);
  for (TokenId id = vocabulary.first_variable(); id < n_tokens_; ++id)
    if (has(allowed, id)) costs[at(of_leaf_[at(id)])] = 1;
  return costs;
}

void UnitTables::price_slots(const Vocabulary& vocabulary, const NestingContexts& contexts,
                             const TokenSets& directly_below) {
  for (int context = 0; context < contexts.size(); ++context)
    for (TokenId parent = -1; parent < n_operators_; ++parent) {
      Costs costs = closing(vocabulary, contexts, context);
      for (TokenId id = 0; id < n_operators_; ++id) {
        if (laws_[at(id)].kind != UnitLaw::Kind::Degree) continue;
        if (!has(contexts.allowed(context), id) || !has(directly_below[parent + 1], id)) continue;
        const Costs below = closing(vocabulary, contexts, contexts.below(context, id));
        for (int unit = 0; unit < n_units(); ++unit)
          if (result(id, unit) >= 0) lower(costs[at(result(id, unit))], 1 + below[at(unit)]);
      }
      slots_.push_back(std::move(costs));
    }
}

void UnitTables::price_tokens(const Vocabulary& vocabulary, const NestingContexts& contexts) {
  for (int context = 0; context < contexts.size(); ++context)
    for (TokenId id = 0; id < n_tokens_; ++id) {
      if (id < n_operators_ && has(contexts.allowed(context), id)) {
        const Costs& operand = slot(contexts.below(context, id), id);
        tokens_.push_back(combined(id, &operand, vocabulary.arity(id) == 2 ? &operand : nullptr, NEVER - 1));
        continue;
      }
      Costs costs(units_.size(), NEVER);
      if (id >= n_operators_) costs[at(of_leaf_[at(id)])] = 1;
      tokens_.push_back(std::move(costs));
    }
}

Costs UnitTables::combined(TokenId root, const Costs* first, const Costs* second, int limit) const {
  using Law = UnitLaw::Kind;
  Costs costs(units_.size(), NEVER);
  auto offer = [&](int unit, int cost) {
    if (unit >= 0 && cost <= limit) lower(costs[at(unit)], cost);
  };
  auto of_second = [&](int unit) { return second == nullptr ? 0 : (*second)[at(unit)]; };
  const Law law = laws_[at(root)].kind;
  const Known known(*first, limit);
  if (law == Law::Product || law == Law::Quotient) {
    const Known others(*second, limit);
    for (const auto& [unit, cost] : known)
      for (const auto& [other, of_other] : others)
        offer(law == Law::Product ? product(unit, other) : quotient(unit, other), 1 + cost + of_other);
    return costs;
  }
  if (law == Law::Number || law == Law::Power) offer(number_, 1 + (*first)[at(number_)] + of_second(number_));
  for (const auto& [unit, cost] : known) {
    if (law == Law::Sign) offer(number_, 1 + cost);
    if (law == Law::Same) offer(unit, 1 + cost + of_second(unit));
    if (law == Law::Ratio) offer(number_, 1 + cost + of_second(unit));
    if (law == Law::Degree) offer(result(root, unit), 1 + cost);
  }
  return costs;
}

Costs UnitTables::outside(TokenId above, bool is_first, const Costs& outside_of_above, const Costs* other,
                          int limit) const {
  using Law = UnitLaw::Kind;
  Costs costs(units_.size(), NEVER);
  auto offer = [&](int unit, int cost) {
    if (cost <= limit) lower(costs[at(unit)], cost);
  };
  auto of_other = [&](int unit) { return other == nullptr ? 0 : (*other)[at(unit)]; };
  const Law law = laws_[at(above)].kind;
  const int of_number = 1 + outside_of_above[at(number_)];
  if (law == Law::Product || law == Law::Quotient) {
    const Known others(*other, limit);
    for (int unit = 0; unit < n_units(); ++unit)
      for (const auto& [beside, cost] : others) {
        const int whole = law == Law::Product ? product(unit, beside)
                          : is_first          ? quotient(unit, beside)
                                              : quotient(beside, unit);
        if (whole >= 0) offer(unit, 1 + outside_of_above[at(whole)] + cost);
      }
    return costs;
  }
  if (law == Law::Number || law == Law::Power) offer(number_, of_number + of_other(number_));
  for (int unit = 0; unit < n_units(); ++unit) {
    if (law == Law::Sign) offer(unit, of_number);
    if (law == Law::Ratio) offer(unit, of_number + of_other(unit));
    if (law == Law::Same) offer(unit, 1 + outside_of_above[at(unit)] + of_other(unit));
    if (law == Law::Degree && result(above, unit) >= 0)
      offer(unit, 1 + outside_of_above[at(result(above, unit))]);
  }
  return costs;
}

}  // namespace ddsr

#include "price/enumeration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>

#include "price/building.hpp"

namespace ddsr {

namespace {

constexpr int MOST_PARTS = 5;

// A place in a structure that is still to be filled: a symbol, or the rest of a list.
struct Gap {
  bool is_list = false;
  Place place = Place::Top, above = Place::Top;
  bool is_product = false;
  int before = END;  // the part before, of a list
  int n_parts = 0;

  std::uint32_t key() const {
    const auto fields = {static_cast<int>(is_list),
                         static_cast<int>(place),
                         static_cast<int>(above),
                         static_cast<int>(is_product),
                         before,
                         n_parts};
    std::uint32_t key = 0;
    for (const int field : fields) key = key * 41 + static_cast<std::uint32_t>(field);
    return key;
  }
};

// One way to fill a gap, and the gaps that come with it, which are filled in this order.
struct Filling {
  double nats;
  Symbol symbol;
  bool is_inverse = false, is_end = false;
  double number = 0.0;
  int variable = -1;
  std::vector<Gap> gaps;
};

class Enumerator {
 public:
  Enumerator(const StructureCode& code, const EnumerationOptions& options) : code_(code), options_(options) {}

  std::vector<PricedStructure> run() {
    std::vector<PricedStructure> found;
    push(Partial{0.0, 0.0, -1, -1}, nullptr, {Gap{}}, 0.0, -1);
    while (!open_.empty() && found.size() < options_.most_structures) {
      const Partial partial = open_.top();
      open_.pop();
      if (partial.stack < 0) {
        Structure structure = built(partial.history);
        if (!is_redundant(structure) && is_same(structure, rebuilt(structure)))
          found.push_back({partial.nats, std::move(structure)});
        continue;
      }
      const Stacked gap = stack_[static_cast<std::size_t>(partial.stack)];
      for (const Filling& filling : fillings(gap.gap))
        push(partial, &filling, filling.gaps, filling.nats, gap.below);
    }
    return found;
  }

 private:
  // A structure with gaps: what was filled so far, and what is still to be filled.
  struct Partial {
    double bound;  // nats that it takes at least when it is whole
    double nats;   // so far
    int stack, history;
    bool operator<(const Partial& other) const { return bound > other.bound; }
  };
  struct Stacked {
    Gap gap;
    int below;
    double bound;  // nats that this gap and those below it take at least
  };
  struct Filled {
    const Filling* filling;
    int before;
  };

  void push(const Partial& from, const Filling* filling, const std::vector<Gap>& gaps, double nats,
            int below) {
    int top = below;
    double bound = below < 0 ? 0.0 : stack_[static_cast<std::size_t>(below)].bound;
    for (const Gap& gap : gaps) bound += least(gap);
    const double whole = from.nats + nats + bound;
    if (whole > options_.most_nats || open_.size() >= options_.most_open) return;
    for (std::size_t i = gaps.size(); i-- > 0;) {
      const double rest = top < 0 ? 0.0 : stack_[static_cast<std::size_t>(top)].bound;
      stack_.push_back({gaps[i], top, rest + least(gaps[i])});
      top = static_cast<int>(stack_.size()) - 1;
    }
    int history = from.history;
    if (filling != nullptr) {
      history_.push_back({filling, history});
      history = static_cast<int>(history_.size()) - 1;
    }
    open_.push({whole, from.nats + nats, top, history});
  }

  double least(const Gap& gap) {
    const std::vector<Filling>& ways = fillings(gap);
    return ways.empty() ? 1e300 : ways.front().nats;
  }

  const std::vector<Filling>& fillings(const Gap& gap) {
    const auto [place, is_new] = fillings_.try_emplace(gap.key());
    if (is_new) {
      std::vector<Filling> ways = gap.is_list ? parts(gap) : symbols(gap);
      std::sort(ways.begin(), ways.end(), [](const Filling& a, const Filling& b) { return a.nats < b.nats; });
      fillings_[gap.key()] = std::move(ways);
      return fillings_[gap.key()];
    }
    return place->second;
  }

  std::vector<Filling> symbols(const Gap& gap) const {
    std::vector<Filling> ways;
    for (int i = 0; i < N_SYMBOLS; ++i) {
      const auto symbol = static_cast<Symbol>(i);
      const bool is_fixed = symbol == Symbol::Number || symbol == Symbol::Constant;
      if (is_fixed && gap.place != Place::Exponent) continue;
      if (symbol == Symbol::Power && gap.place == Place::Base) continue;
      if (undoes(gap.place, symbol)) continue;
      add(ways, {.nats = code_.symbol_nats(gap.place, gap.above, symbol), .symbol = symbol, .gaps = {}},
          gap.place, {});
    }
    return ways;
  }

  // Parts come in the order in which a structure has them.
  std::vector<Filling> parts(const Gap& gap) const {
    std::vector<Filling> ways;
    auto nats = [&](int next) { return code_.listed_nats(gap.is_product, gap.before, gap.place, next); };
    const bool is_list = gap.n_parts > 1 || (gap.is_product && gap.n_parts == 1 && gap.before >= N_SYMBOLS);
    if (is_list) ways.push_back({.nats = nats(END), .symbol = Symbol::Sum, .is_end = true, .gaps = {}});
    if (gap.n_parts == MOST_PARTS) return ways;
    const Symbol same = gap.is_product ? Symbol::Product : Symbol::Sum;
    // a number leads its sum, also where it is subtracted
    const bool is_after_number = gap.before == END || gap.before == N_SYMBOLS;
    const int first = is_after_number ? 0 : gap.before;
    for (int next = first; next < 2 * N_SYMBOLS; ++next) {
      const auto symbol = static_cast<Symbol>(next % N_SYMBOLS);
      const bool is_inverse = next >= N_SYMBOLS;
      const bool is_fixed = symbol == Symbol::Number || symbol == Symbol::Constant;
      if (symbol == same || (is_fixed && gap.n_parts > 0)) continue;
      if (is_fixed && is_inverse && (gap.is_product || symbol == Symbol::Constant)) continue;
      Gap rest = gap;
      rest.before = next, ++rest.n_parts;
      const Place place = gap.is_product ? (is_inverse ? Place::Divisor : Place::Factor)
                                         : (is_inverse ? Place::Subtrahend : Place::Term);
      add(ways, {.nats = nats(next), .symbol = symbol, .is_inverse = is_inverse, .gaps = {}}, place, {rest});
    }
    return ways;
  }

  // The fillings with a symbol: one for each variable and number. The gaps in it come before the `rest`.
  void add(std::vector<Filling>& ways, Filling filling, Place place, const std::vector<Gap>& rest) const {
    if (!options_.is_allowed[static_cast<std::size_t>(filling.symbol)]) return;
    const double nats = filling.nats;
    switch (filling.symbol) {
      case Symbol::Variable:
        filling.gaps = rest, filling.nats = nats + std::log(options_.n_variables);
        for (int column = 0; column < options_.n_variables; ++column)
          filling.variable = column, ways.push_back(filling);
        return;
      case Symbol::Number:
        filling.gaps = rest;
        for (const PricedNumber& number : options_.numbers[static_cast<std::size_t>(number_place(place))])
          filling.number = number.value, filling.nats = nats + number.nats, ways.push_back(filling);
        return;
      case Symbol::Constant:
        break;
      case Symbol::Power:
        filling.gaps = {{.place = Place::Base, .above = place}, {.place = Place::Exponent, .above = place}};
        break;
      case Symbol::Sum:
      case Symbol::Product:
        filling.gaps = {{.is_list = true, .place = place, .is_product = filling.symbol == Symbol::Product}};
        break;
      default:
        filling.gaps = {{.place = place_in(filling.symbol), .above = place}};
    }
    filling.gaps.insert(filling.gaps.end(), rest.begin(), rest.end());
    ways.push_back(std::move(filling));
  }

  // exp(log(x)) and the like, and a function of itself.
  static bool undoes(Place place, Symbol symbol) {
    if (symbol < Symbol::Sqrt || symbol > Symbol::Abs) return false;
    if (place == place_in(symbol)) return true;
    return (place == place_in(Symbol::Exp) && symbol == Symbol::Log) ||
           (place == place_in(Symbol::Log) && symbol == Symbol::Exp);
  }

  Structure built(int history) const {
    std::vector<const Filling*> order;
    for (int i = history; i >= 0; i = history_[static_cast<std::size_t>(i)].before)
      order.push_back(history_[static_cast<std::size_t>(i)].filling);
    std::size_t next = order.size();
    auto take = [&] { return order[--next]; };
    auto build = [&](auto&& self, const Filling& filling) -> Structure {
      Structure made{filling.symbol, filling.number, filling.variable, {}};
      switch (filling.symbol) {
        case Symbol::Constant:
          return constant_structure();
        case Symbol::Number:
        case Symbol::Variable:
          return made;
        case Symbol::Sum:
        case Symbol::Product:
          for (const Filling* part = take(); !part->is_end; part = take())
            made.parts.push_back({part->is_inverse, self(self, *part)});
          return made;
        case Symbol::Power:
          made.parts.push_back({false, self(self, *take())});
          made.parts.push_back({false, self(self, *take())});
          return made;
        default:
          made.parts.push_back({false, self(self, *take())});
          return made;
      }
    };
    return build(build, *take());
  }

  const StructureCode& code_;
  const EnumerationOptions& options_;
  std::priority_queue<Partial> open_;
  std::vector<Stacked> stack_;
  std::vector<Filled> history_;
  std::unordered_map<std::uint32_t, std::vector<Filling>> fillings_;
};

// What it is times a number or a constant.
Structure without_factor(const Structure& structure) {
  if (structure.symbol != Symbol::Product || !structure.parts.front().structure.is_fixed()) return structure;
  Structure rest = structure;
  rest.parts.erase(rest.parts.begin());
  if (rest.parts.size() == 1 && !rest.parts.front().is_inverse) return rest.parts.front().structure;
  return rest;
}

bool is_power_of_variable(const Structure& structure) {
  return structure.symbol == Symbol::Power && structure.parts[0].structure.symbol == Symbol::Variable;
}

// A constant before it can stand for one in it: of all its terms, or out of a root, a power or an
// exponential.
bool takes_factor(const Structure& structure) {
  if (structure.parts.empty()) return false;
  const Structure& first = structure.parts[0].structure;
  switch (structure.symbol) {
    case Symbol::Sum:
      return std::all_of(structure.parts.begin(), structure.parts.end(),
                         [](const Structure::Part& part) { return has_fitted_factor(part.structure); });
    case Symbol::Sqrt:
    case Symbol::Abs:
    case Symbol::Power:
      return has_fitted_factor(first) || (first.symbol == Symbol::Sum && takes_factor(first));
    case Symbol::Exp:
      return first.symbol == Symbol::Sum && first.parts[0].structure.is_constant();
    default:
      return false;
  }
}

bool is_redundant_product(const std::vector<Structure::Part>& factors) {
  const bool has_constant = factors.front().structure.is_constant();
  std::vector<int> variables;
  int n_exponentials = 0, n_roots = 0;
  for (const auto& [is_inverse, factor] : factors) {
    if (has_constant && takes_factor(factor)) return true;
    if (factor.symbol == Symbol::Variable) variables.push_back(factor.variable);
    if (is_power_of_variable(factor)) variables.push_back(factor.parts[0].structure.variable);
    n_exponentials += factor.symbol == Symbol::Exp, n_roots += factor.symbol == Symbol::Sqrt;
  }
  std::sort(variables.begin(), variables.end());
  const bool cancels = std::adjacent_find(variables.begin(), variables.end()) != variables.end();
  bool has_twins = false;
  for (std::size_t i = 0; i < factors.size(); ++i)
    for (std::size_t j = i + 1; j < factors.size(); ++j)
      has_twins |= is_same(factors[i].structure, factors[j].structure);
  return cancels || has_twins || n_exponentials > 1 || n_roots > 1;
}

bool is_redundant_sum(const std::vector<Structure::Part>& terms) {
  const bool has_constant = terms.front().structure.is_constant();
  for (const Structure::Part& term : terms) {
    const bool is_log = term.structure.symbol == Symbol::Log;
    if (has_constant && is_log && has_fitted_factor(term.structure.parts[0].structure)) return true;
  }
  // two exponentials of fitted rates are two laws; of other structures two of a kind are one
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const Structure one = without_factor(terms[i].structure), other = without_factor(terms[j].structure);
      if (is_same(one, other) && n_constants(one) == 0) return true;
    }
  return false;
}

}  // namespace

bool is_redundant(const Structure& structure) {
  const auto& parts = structure.parts;
  if (structure.symbol == Symbol::Product && is_redundant_product(parts)) return true;
  if (structure.symbol == Symbol::Sum && is_redundant_sum(parts)) return true;
  if (structure.symbol == Symbol::Sqrt && parts[0].structure.symbol == Symbol::Exp) return true;
  if (structure.symbol == Symbol::Power && parts[0].structure.symbol == Symbol::Exp) return true;
  return std::any_of(parts.begin(), parts.end(),
                     [](const Structure::Part& part) { return is_redundant(part.structure); });
}

std::vector<PricedStructure> cheapest_structures(const StructureCode& code,
                                                 const EnumerationOptions& options) {
  return Enumerator(code, options).run();
}

}  // namespace ddsr

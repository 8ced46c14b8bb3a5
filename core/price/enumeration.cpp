#include "price/enumeration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

#include "price/building.hpp"
#include "price/redundancy.hpp"

namespace ddsr {

namespace {

constexpr int MOST_PARTS = 5;

// An open place in a structure, for a symbol or for the rest of a list.
struct Gap {
  bool is_list = false;
  Place place = Place::Top, above = Place::Top;
  bool is_product = false;
  int before = END;  // for a list: the previous part
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

// One way to fill a gap, with the new gaps that it opens, in the order in which they are filled.
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
  // A structure with gaps.
  struct Partial {
    double bound;  // lower bound of the nats of the whole
    double nats;   // so far
    int stack, history;
    bool operator<(const Partial& other) const { return bound > other.bound; }
  };
  struct Stacked {
    Gap gap;
    int below;
    double bound;  // lower bound of the nats of this gap and those below it
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

  // Parts are listed in the order in which a structure has them.
  std::vector<Filling> parts(const Gap& gap) const {
    std::vector<Filling> ways;
    auto nats = [&](int next) { return code_.listed_nats(gap.is_product, gap.before, gap.place, next); };
    const bool is_list = gap.n_parts > 1 || (gap.is_product && gap.n_parts == 1 && gap.before >= N_SYMBOLS);
    if (is_list) ways.push_back({.nats = nats(END), .symbol = Symbol::Sum, .is_end = true, .gaps = {}});
    if (gap.n_parts == MOST_PARTS) return ways;
    const Symbol same = gap.is_product ? Symbol::Product : Symbol::Sum;
    // A number leads its sum, even if it is subtracted.
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

  // Adds the fillings with a symbol: one for each variable or number. Its gaps come before `rest`.
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

  // exp(log(x)) and the like, and functions of themselves.
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

bool is_allowed(const Structure& structure, const EnumerationOptions& options) {
  return options.is_allowed[static_cast<std::size_t>(structure.symbol)] &&
         std::all_of(structure.parts.begin(), structure.parts.end(),
                     [&](const Structure::Part& part) { return is_allowed(part.structure, options); });
}

void rename(Structure& structure, const std::vector<int>& columns) {
  if (structure.symbol == Symbol::Variable)
    structure.variable = columns[static_cast<std::size_t>(structure.variable)];
  for (Structure::Part& part : structure.parts) rename(part.structure, columns);
}

// Calls `use` with each ordered selection of `n_chosen` different columns.
template <typename Use>
void for_each_choice(int n_chosen, int n_variables, std::vector<int>& chosen, const Use& use) {
  if (static_cast<int>(chosen.size()) == n_chosen) return use(chosen);
  for (int column = 0; column < n_variables; ++column) {
    if (std::find(chosen.begin(), chosen.end(), column) != chosen.end()) continue;
    chosen.push_back(column);
    for_each_choice(n_chosen, n_variables, chosen, use);
    chosen.pop_back();
  }
}

// The price choice by choice. If a number is too expensive to be enumerated, the form can only be named.
double nats_one_by_one(const StructureCode& code, const Structure& structure,
                       const EnumerationOptions& options) {
  const Description all = described(structure);
  double sum = static_cast<double>(all.variables.size()) * std::log(options.n_variables);
  for (const Choice& choice : all.choices) sum += code.nats(choice);
  for (const auto& [place, value] : all.numbers) {
    const std::vector<PricedNumber>& numbers = options.numbers[static_cast<std::size_t>(place)];
    const auto found = std::ranges::find(numbers, value, &PricedNumber::value);
    sum += found != numbers.end() ? found->nats : std::numeric_limits<double>::infinity();
  }
  return sum;
}

// Nats of a form in such a table; infinite if it cannot be listed.
double nats_of_form(const KnownForms::Form& form, const StructureCode& code,
                    const EnumerationOptions& options) {
  constexpr double NEVER = std::numeric_limits<double>::infinity();
  if (form.n_columns < 1 || form.n_columns > options.n_variables) return NEVER;
  if (!is_allowed(form.structure, options) || is_redundant(form.structure)) return NEVER;
  const double one_by_one = nats_one_by_one(code, form.structure, options);
  return code.known().nats(form.structure, options.n_variables, one_by_one);
}

// Adds a form with each choice of columns for its variables.
void add_instances(const KnownForms::Form& form, double nats, const EnumerationOptions& options,
                   std::vector<PricedStructure>& found) {
  const auto begin = static_cast<std::ptrdiff_t>(found.size());
  std::vector<int> chosen;
  for_each_choice(form.n_columns, options.n_variables, chosen, [&](const std::vector<int>& columns) {
    Structure structure = form.structure;
    rename(structure, columns);
    structure = rebuilt(structure);
    const bool is_new = std::none_of(found.begin() + begin, found.end(), [&](const PricedStructure& other) {
      return is_same(structure, other.structure);
    });
    if (is_new) found.push_back({nats, std::move(structure)});
  });
}

// The cheapest of some forms, in all choices of columns. These are many, so they are made only as far as
// needed.
std::vector<PricedStructure> instances_of(std::span<const KnownForms::Form> forms, const StructureCode& code,
                                          const EnumerationOptions& options) {
  std::vector<std::pair<double, const KnownForms::Form*>> priced;
  for (const KnownForms::Form& form : forms) {
    const double nats = nats_of_form(form, code, options);
    if (nats <= options.most_nats) priced.emplace_back(nats, &form);
  }
  std::ranges::stable_sort(priced, {}, &std::pair<double, const KnownForms::Form*>::first);
  std::vector<PricedStructure> found;
  for (const auto& [nats, form] : priced) {
    if (found.size() >= options.most_structures) break;
    add_instances(*form, nats, options, found);
  }
  return found;
}

// The known forms and their transformations.
std::vector<PricedStructure> known_structures(const StructureCode& code, const EnumerationOptions& options) {
  std::vector<PricedStructure> found = instances_of(code.known().forms(), code, options);
  for (std::size_t transform = 0; transform < KnownForms::N_TRANSFORMS; ++transform)
    found = merged(std::move(found), instances_of(code.known().transformed(transform), code, options),
                   options.most_structures);
  return found;
}

}  // namespace

std::vector<PricedStructure> merged(std::vector<PricedStructure> first, std::vector<PricedStructure> second,
                                    std::size_t most) {
  std::unordered_multimap<std::uint64_t, std::size_t> by_form;
  for (std::size_t i = 0; i < first.size(); ++i) by_form.emplace(nameless_hash(first[i].structure), i);
  for (PricedStructure& each : second) {
    const auto [begin, end] = by_form.equal_range(nameless_hash(each.structure));
    const auto known = std::find_if(begin, end, [&](const auto& entry) {
      return is_same(each.structure, first[entry.second].structure);
    });
    if (known == end)
      first.push_back(std::move(each));
    else
      first[known->second].nats = std::min(first[known->second].nats, each.nats);
  }
  std::stable_sort(first.begin(), first.end(),
                   [](const PricedStructure& a, const PricedStructure& b) { return a.nats < b.nats; });
  if (first.size() > most) first.resize(most);
  return first;
}

std::vector<PricedStructure> cheapest_structures(const StructureCode& code,
                                                 const EnumerationOptions& options) {
  std::vector<PricedStructure> found = Enumerator(code, options).run();
  for (auto& [nats, structure] : found) nats = code.known().nats(structure, options.n_variables, nats);
  return merged(std::move(found), known_structures(code, options), options.most_structures);
}

}  // namespace ddsr

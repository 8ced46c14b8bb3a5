#include "price/structure_code.hpp"

#include <cmath>
#include <span>

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Tells a structure choice by choice.
class Teller {
 public:
  explicit Teller(Told& told) : told_(told) {}

  void name(const Structure& structure, Place place, Place above) {
    const auto chosen = static_cast<std::uint8_t>(structure.symbol);
    told_.choices.push_back(
        {false, {static_cast<std::uint8_t>(place), static_cast<std::uint8_t>(above), 0}, chosen});
    describe(structure, place);
  }

 private:
  // What is to be told of a structure whose symbol is known.
  void describe(const Structure& structure, Place place) {
    switch (structure.symbol) {
      case Symbol::Constant:
        return;
      case Symbol::Number:
        told_.numbers.emplace_back(number_place(place), structure.number);
        return;
      case Symbol::Variable:
        told_.variables.push_back(structure.variable);
        return;
      case Symbol::Sum:
      case Symbol::Product:
        list(structure, place);
        return;
      case Symbol::Power:
        name(structure.parts[0].structure, Place::Base, place);
        name(structure.parts[1].structure, Place::Exponent, place);
        return;
      default:
        name(structure.parts[0].structure, place_in(structure.symbol), place);
    }
  }

  void list(const Structure& structure, Place place) {
    const bool is_product = structure.symbol == Symbol::Product;
    int before = END;
    for (const Structure::Part& part : structure.parts) {
      const int next = listed(part.structure.symbol, part.is_inverse);
      choose(is_product, before, place, next);
      describe(part.structure, place_of_part(is_product, part.is_inverse));
      before = next;
    }
    choose(is_product, before, place, END);
  }

  void choose(bool is_product, int before, Place place, int next) {
    told_.choices.push_back({true,
                             {is_product ? std::uint8_t{1} : std::uint8_t{0},
                              static_cast<std::uint8_t>(before), static_cast<std::uint8_t>(place)},
                             static_cast<std::uint8_t>(next)});
  }

  static Place place_of_part(bool is_product, bool is_inverse) {
    if (is_product) return is_inverse ? Place::Divisor : Place::Factor;
    return is_inverse ? Place::Subtrahend : Place::Term;
  }

  Told& told_;
};

// The chance of a symbol is its share among those seen in the context, mixed with its chance in a context
// that tells less (Witten and Bell): the more different symbols were seen, the more is left to the others.
void mix(std::span<double> counts, std::span<const double> less) {
  double n = 0.0, n_kinds = 0.0;
  for (const double count : counts) n += count, n_kinds += count > 0.0 ? 1.0 : 0.0;
  if (n == 0.0) n_kinds = 1.0;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = (counts[i] + n_kinds * less[i]) / (n + n_kinds);
}

// Counts in a table of contexts; what tells less is the same table with its last dimension summed.
class Table {
 public:
  Table(std::vector<int> sizes, int n_choices) : sizes_(std::move(sizes)), n_choices_(n_choices) {
    int n = 1;
    for (const int size : sizes_) n *= size;
    counts_.assign(at(n * n_choices_), 0.0);
  }

  double& operator()(std::span<const std::uint8_t> context, int choice) {
    int row = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) row = row * sizes_[i] + context[i];
    return counts_[at(row * n_choices_ + choice)];
  }

  // -log of the chance of each choice in each context, all its places known.
  std::vector<double> nats() const {
    std::vector<std::vector<double>> levels = {counts_};  // from all that is known to nothing
    for (std::size_t i = sizes_.size(); i-- > 0;) levels.push_back(summed(levels.back(), sizes_[i]));
    std::vector<double> known(at(n_choices_), 1.0 / n_choices_);
    mix(levels.back(), known);
    for (std::size_t i = levels.size() - 1; i-- > 0;) {
      const int size = sizes_[levels.size() - 2 - i];
      std::vector<double>& level = levels[i];
      for (std::size_t row = 0; row * at(n_choices_) < level.size(); ++row)
        mix(std::span(level).subspan(row * at(n_choices_), at(n_choices_)),
            std::span(levels[i + 1]).subspan(row / at(size) * at(n_choices_), at(n_choices_)));
    }
    for (double& chance : levels.front()) chance = -std::log(chance);
    return levels.front();
  }

 private:
  std::vector<double> summed(const std::vector<double>& counts, int size) const {
    std::vector<double> sums(counts.size() / at(size), 0.0);
    for (std::size_t i = 0; i < counts.size(); ++i)
      sums[i / at(size * n_choices_) * at(n_choices_) + i % at(n_choices_)] += counts[i];
    return sums;
  }

  std::vector<int> sizes_;
  int n_choices_;
  std::vector<double> counts_;
};

}  // namespace

Place place_in(Symbol function) {
  return static_cast<Place>(static_cast<int>(Place::Sqrt) + static_cast<int>(function) -
                            static_cast<int>(Symbol::Sqrt));
}

NumberPlace number_place(Place place) {
  switch (place) {
    case Place::Exponent:
      return NumberPlace::Exponent;
    case Place::Term:
    case Place::Subtrahend:
      return NumberPlace::Sum;
    case Place::Factor:
    case Place::Divisor:
      return NumberPlace::Product;
    default:
      return NumberPlace::Other;
  }
}

Told told(const Structure& structure) {
  Told told;
  Teller(told).name(structure, Place::Top, Place::Top);
  return told;
}

StructureCode::StructureCode(const std::vector<Choice>& choices) {
  Table symbols({N_PLACES, N_PLACES}, N_SYMBOLS), listed({2, N_LISTED, N_PLACES}, N_LISTED);
  for (const Choice& choice : choices) ++(choice.is_listed ? listed : symbols)(choice.context, choice.chosen);
  symbols_ = symbols.nats(), listed_ = listed.nats();
}

double StructureCode::symbol_nats(Place place, Place above, Symbol symbol) const {
  const int row = static_cast<int>(place) * N_PLACES + static_cast<int>(above);
  return symbols_[at(row * N_SYMBOLS + static_cast<int>(symbol))];
}

double StructureCode::listed_nats(bool is_product, int before, Place place, int next) const {
  const int row = ((is_product ? 1 : 0) * N_LISTED + before) * N_PLACES + static_cast<int>(place);
  return listed_[at(row * N_LISTED + next)];
}

double StructureCode::nats(const Choice& choice) const {
  const auto& [first, second, third] = choice.context;
  if (choice.is_listed) return listed_nats(first == 1, second, static_cast<Place>(third), choice.chosen);
  return symbol_nats(static_cast<Place>(first), static_cast<Place>(second),
                     static_cast<Symbol>(choice.chosen));
}

double StructureCode::nats(const Structure& structure) const {
  double sum = 0.0;
  for (const Choice& choice : told(structure).choices) sum += nats(choice);
  return sum;
}

}  // namespace ddsr

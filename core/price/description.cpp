#include "price/description.hpp"

#include <stdexcept>

namespace ddsr {

namespace {

// The function in whose context the corpus knows others that it does not have.
constexpr Symbol RAREST = Symbol::Abs;

Place place_of_part(bool is_product, bool is_inverse) {
  if (is_product) return is_inverse ? Place::Divisor : Place::Factor;
  return is_inverse ? Place::Subtrahend : Place::Term;
}

// Converts a structure into choices.
class Describer {
 public:
  explicit Describer(Description& description) : description_(description) {}

  void name(const Structure& structure, Place place, Place above) {
    const auto chosen = static_cast<std::uint8_t>(chosen_of(structure, false));
    description_.choices.push_back(
        {false, {static_cast<std::uint8_t>(place), static_cast<std::uint8_t>(above), 0}, chosen});
    describe(structure, place);
  }

 private:
  static int chosen_of(const Structure& structure, bool is_inverse) {
    if (structure.symbol != Symbol::Other) return listed(structure.symbol, is_inverse);
    return OTHERS + 2 * static_cast<int>(structure.op) + (is_inverse ? 1 : 0);
  }

  // Describes a structure whose symbol is already written.
  void describe(const Structure& structure, Place place) {
    switch (structure.symbol) {
      case Symbol::Constant:
        return;
      case Symbol::Number:
        description_.numbers.emplace_back(number_place(place), structure.number);
        return;
      case Symbol::Variable:
        description_.variables.push_back(structure.variable);
        return;
      case Symbol::Sum:
      case Symbol::Product:
        list(structure, place);
        return;
      case Symbol::Power:
        name(structure.parts[0].structure, Place::Base, place);
        name(structure.parts[1].structure, Place::Exponent, place);
        return;
      case Symbol::Other:
        for (const Structure::Part& part : structure.parts) name(part.structure, place_in(RAREST), place);
        return;
      default:
        name(structure.parts[0].structure, place_in(structure.symbol), place);
    }
  }

  void list(const Structure& structure, Place place) {
    const bool is_product = structure.symbol == Symbol::Product;
    int before = END;
    for (const Structure::Part& part : structure.parts) {
      choose(is_product, before, place, chosen_of(part.structure, part.is_inverse));
      describe(part.structure, place_of_part(is_product, part.is_inverse));
      const bool is_other = part.structure.symbol == Symbol::Other;
      before = listed(is_other ? RAREST : part.structure.symbol, part.is_inverse);
    }
    choose(is_product, before, place, END);
  }

  void choose(bool is_product, int before, Place place, int next) {
    description_.choices.push_back({true,
                                    {is_product ? std::uint8_t{1} : std::uint8_t{0},
                                     static_cast<std::uint8_t>(before), static_cast<std::uint8_t>(place)},
                                    static_cast<std::uint8_t>(next)});
  }

  Description& description_;
};

// Builds a structure from its choices.
class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> chosen, std::span<const double> numbers,
          std::span<const int> variables)
      : chosen_(chosen), numbers_(numbers), variables_(variables) {}

  Structure whole() {
    Structure structure = next();
    if (!chosen_.empty() || !numbers_.empty() || !variables_.empty())
      throw std::invalid_argument("more choices than one structure has");
    return structure;
  }

 private:
  Structure next() {
    const int chosen = take(chosen_);
    if (is_other(chosen)) return described_other(chosen);
    if (chosen >= N_SYMBOLS) throw std::invalid_argument("a list has no part here");
    return described(static_cast<Symbol>(chosen));
  }

  Structure described_other(int chosen) {
    if (chosen >= N_CHOSEN) throw std::invalid_argument("no such operator");
    Structure made{Symbol::Other, 0.0, -1, {}, static_cast<Op>((chosen - OTHERS) / 2)};
    for (int i = 0; i < row_of(made.op).arity; ++i) made.parts.push_back({false, next()});
    return made;
  }

  Structure described(Symbol symbol) {
    Structure made{symbol, 0.0, -1, {}};
    switch (symbol) {
      case Symbol::Constant:
        return constant_structure();
      case Symbol::Number:
        return number_structure(take(numbers_));
      case Symbol::Variable:
        return variable_structure(take(variables_));
      case Symbol::Sum:
      case Symbol::Product:
        for (int part = take(chosen_); part != END; part = take(chosen_)) {
          if (is_other(part))
            made.parts.push_back({(part - OTHERS) % 2 == 1, described_other(part)});
          else
            made.parts.push_back({part >= N_SYMBOLS, described(static_cast<Symbol>(part % N_SYMBOLS))});
        }
        if (made.parts.empty()) throw std::invalid_argument("an empty list");
        return made;
      case Symbol::Power:
        made.parts.push_back({false, next()});
        made.parts.push_back({false, next()});
        return made;
      default:
        made.parts.push_back({false, next()});
        return made;
    }
  }

  template <typename T>
  static T take(std::span<const T>& rest) {
    if (rest.empty()) throw std::invalid_argument("too few choices for a structure");
    const T first = rest.front();
    rest = rest.subspan(1);
    return first;
  }

  std::span<const std::uint8_t> chosen_;
  std::span<const double> numbers_;
  std::span<const int> variables_;
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

Description described(const Structure& structure) {
  Description description;
  Describer(description).name(structure, Place::Top, Place::Top);
  return description;
}

Structure structure_of_choices(std::span<const std::uint8_t> chosen, std::span<const double> numbers,
                               std::span<const int> variables) {
  return Decoder(chosen, numbers, variables).whole();
}

}  // namespace ddsr

// What it takes to write a structure, in nats: a code learned from formulas that people use.
//
// A structure is told from the top down. At each place a symbol is named, given the place and the one above
// it; of a sum and of a product one part after the other is named, given the part before it, and then its
// end. The chances of all that may be named at a place add up to 1, so that e^-nats over all structures adds
// up to no more than 1, however many there are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "price/structure.hpp"

namespace ddsr {

// Where a symbol stands: at the top, in a power, as a part of a list, or in a function (SQRT + its symbol).
enum class Place : std::uint8_t { Top, Base, Exponent, Term, Subtrahend, Factor, Divisor, Sqrt };

inline constexpr int N_FUNCTIONS = static_cast<int>(Symbol::Abs) - static_cast<int>(Symbol::Sqrt) + 1;
inline constexpr int N_PLACES = static_cast<int>(Place::Sqrt) + N_FUNCTIONS;

inline constexpr std::string_view PLACE_NAMES[N_PLACES] = {
    "top", "base", "exponent", "term", "subtrahend", "factor", "divisor", "sqrt", "exp",  "log",
    "sin", "cos",  "tan",      "tanh", "sinh",       "cosh",   "asin",    "acos", "atan", "abs"};

Place place_in(Symbol function);

// Numbers are common in other places: 2 as an exponent, 1 in a sum.
enum class NumberPlace : std::uint8_t { Exponent, Sum, Product, Other };
NumberPlace number_place(Place place);

// What may follow in a list: each symbol, kept or inverse, and the end.
inline constexpr int N_LISTED = 2 * N_SYMBOLS + 1;
inline constexpr int END = 2 * N_SYMBOLS;
// What came before: one of those, or nothing yet, for which the end stands.
inline int listed(Symbol symbol, bool is_inverse) {
  return static_cast<int>(symbol) + (is_inverse ? N_SYMBOLS : 0);
}

// One choice that is told of a structure. Contexts of a symbol: place, place above. Of a listed part: kind of
// list (0 sum, 1 product), part before, place of the list.
struct Choice {
  bool is_listed;
  std::array<std::uint8_t, 3> context;
  std::uint8_t chosen;
};

// All that is told of a structure: choices, then the values of numbers and the columns of variables, in
// order.
struct Told {
  std::vector<Choice> choices;
  std::vector<std::pair<NumberPlace, double>> numbers;
  std::vector<int> variables;  // their columns
};

Told told(const Structure& structure);

class StructureCode {
 public:
  // `choices` are those of the formulas to learn from, all of them, in any order.
  explicit StructureCode(const std::vector<Choice>& choices);

  // Without the values of numbers and the columns of variables.
  double nats(const Structure& structure) const;
  double nats(const Choice& choice) const;

  double symbol_nats(Place place, Place above, Symbol symbol) const;
  double listed_nats(bool is_product, int before, Place place, int next) const;

 private:
  std::vector<double> symbols_, listed_;
};

}  // namespace ddsr

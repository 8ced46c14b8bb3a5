// A structure told from the top down, choice by choice, and built from them again.
//
// At each place a symbol is named; of a sum and of a product one part after the other, and then its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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
inline constexpr std::size_t N_NUMBER_PLACES = 4;
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

// The structure of which `chosen` was told, without the contexts. Throws std::invalid_argument if there is
// none.
Structure structure_told(std::span<const std::uint8_t> chosen, std::span<const double> numbers,
                         std::span<const int> variables);

}  // namespace ddsr

// Converts a structure into choices from the top down, and back.
//
// At each place a symbol is named; of a sum or product the parts one by one, followed by an end mark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "price/structure.hpp"

namespace ddsr {

// The place of a symbol: at the top, in a power, in a list, or in a function (SQRT + its symbol).
enum class Place : std::uint8_t { Top, Base, Exponent, Term, Subtrahend, Factor, Divisor, Sqrt };

inline constexpr int N_FUNCTIONS = static_cast<int>(Symbol::Abs) - static_cast<int>(Symbol::Sqrt) + 1;
inline constexpr int N_PLACES = static_cast<int>(Place::Sqrt) + N_FUNCTIONS;

inline constexpr std::string_view PLACE_NAMES[N_PLACES] = {
    "top", "base", "exponent", "term", "subtrahend", "factor", "divisor", "sqrt", "exp",  "log",
    "sin", "cos",  "tan",      "tanh", "sinh",       "cosh",   "asin",    "acos", "atan", "abs"};

Place place_in(Symbol function);

// Different numbers are common in different places: 2 as an exponent, 1 in a sum.
enum class NumberPlace : std::uint8_t { Exponent, Sum, Product, Other };
inline constexpr std::size_t N_NUMBER_PLACES = 4;
NumberPlace number_place(Place place);

// The choices in a list: each symbol, inverse or not, and the end.
inline constexpr int N_LISTED = 2 * N_SYMBOLS + 1;
inline constexpr int END = 2 * N_SYMBOLS;
// The previous part, as one of these choices; END if there is none yet.
inline int listed(Symbol symbol, bool is_inverse) {
  return static_cast<int>(symbol) + (is_inverse ? N_SYMBOLS : 0);
}

// Operators that the corpus does not have follow these choices, each inverse or not.
inline constexpr int OTHERS = N_LISTED;
inline constexpr int N_CHOSEN = OTHERS + 2 * N_OPERATORS;
static_assert(N_CHOSEN <= 256);
inline bool is_other(int chosen) { return chosen >= OTHERS; }

// One choice in the description of a structure. The context of a symbol: place, place above. That of a part
// of a list: kind of list (0 sum, 1 product), previous part, place of the list.
struct Choice {
  bool is_listed;
  std::array<std::uint8_t, 3> context;
  std::uint8_t chosen;
};

// The description of a structure: choices, then the values of numbers and the columns of variables, in order.
struct Description {
  std::vector<Choice> choices;
  std::vector<std::pair<NumberPlace, double>> numbers;
  std::vector<int> variables;  // their columns
};

Description described(const Structure& structure);

// The structure described by the choices `chosen`, without their contexts. Throws std::invalid_argument if
// there is none.
Structure structure_of_choices(std::span<const std::uint8_t> chosen, std::span<const double> numbers,
                               std::span<const int> variables);

}  // namespace ddsr

// The structure of an expression as people read it: sums of terms, products of factors, powers, functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "expression/formula.hpp"

namespace ddsr {

// Factors and terms are sorted in this order.
enum class Symbol : std::uint8_t {
  Number,    // a number that is part of the law: the 2 of x^2, the 1 of 1 - exp(-x)
  Constant,  // a fitted constant
  Variable,
  Power,
  Sqrt,
  Exp,
  Log,
  Sin,
  Cos,
  Tan,
  Tanh,
  Sinh,
  Cosh,
  Asin,
  Acos,
  Atan,
  Abs,
  Sum,
  Product,
  Other,  // an operator that the corpus does not have; the structure says which
};

inline constexpr int N_SYMBOLS = 19;  // without Other
inline constexpr std::string_view SYMBOL_NAMES[N_SYMBOLS] = {
    "number", "constant", "variable", "power", "sqrt", "exp",  "log", "sin", "cos",    "tan",
    "tanh",   "sinh",     "cosh",     "asin",  "acos", "atan", "abs", "sum", "product"};

// The functions of one argument with their operators.
struct Function {
  Symbol symbol;
  Op op;
};
inline constexpr Function FUNCTIONS[] = {
    {Symbol::Sqrt, Op::Sqrt}, {Symbol::Exp, Op::Exp},   {Symbol::Log, Op::Log},   {Symbol::Sin, Op::Sin},
    {Symbol::Cos, Op::Cos},   {Symbol::Tan, Op::Tan},   {Symbol::Tanh, Op::Tanh}, {Symbol::Sinh, Op::Sinh},
    {Symbol::Cosh, Op::Cosh}, {Symbol::Asin, Op::Asin}, {Symbol::Acos, Op::Acos}, {Symbol::Atan, Op::Atan},
    {Symbol::Abs, Op::Abs}};

constexpr bool has_symbol(Op op) {
  return std::ranges::find(FUNCTIONS, op, &Function::op) != std::end(FUNCTIONS);
}
constexpr Op op_of(Symbol symbol) { return std::ranges::find(FUNCTIONS, symbol, &Function::symbol)->op; }
constexpr Symbol symbol_of(Op op) { return std::ranges::find(FUNCTIONS, op, &Function::op)->symbol; }

struct Structure {
  // A term or a factor.
  struct Part;

  Symbol symbol = Symbol::Number;
  double number = 0.0;      // value of a number, or of a constant if it is known
  int variable = -1;        // column of a variable
  std::vector<Part> parts;  // of a sum or product; base and exponent of a power; arguments of a function
  Op op = Op::Add;          // of Other

  bool is_number() const { return symbol == Symbol::Number; }
  bool is_constant() const { return symbol == Symbol::Constant; }
  bool is_fixed() const { return is_number() || is_constant(); }  // without variables
};

struct Structure::Part {
  bool is_inverse = false;  // subtracted in a sum, divided by in a product
  Structure structure;
};

Structure number_structure(double value);
// The value of a constant if none is known; no function maps it to itself.
inline constexpr double ANY_VALUE = 1.5;
Structure constant_structure(double value = ANY_VALUE);
Structure variable_structure(int column);

// A total order of structures: by symbol, then by contents, ignoring the values of constants. Negative, 0 or
// positive.
int compare(const Structure& a, const Structure& b);
bool is_same(const Structure& a, const Structure& b);

int n_constants(const Structure& structure);

// Whether it is a fitted constant or has one as a factor.
bool has_fitted_factor(const Structure& structure);
}  // namespace ddsr

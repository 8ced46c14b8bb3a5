// The structure of an expression as people read it: sums of terms, products of factors, powers, functions.
//
// Writings that differ by the order of operands, by brackets in a sum or a product, by x * x for x^2, or by
// where the constants of a product stand, are one structure. So a price on structures is a price on what is
// written, not on how the tree happens to be built.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "expression/formula.hpp"

namespace ddsr {

// Factors and terms stand in this order.
enum class Symbol : std::uint8_t {
  Number,    // a number that is part of the law: the 2 of x^2, the 1 of 1 - exp(-x)
  Constant,  // one that is fitted
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
};

inline constexpr int N_SYMBOLS = 19;
inline constexpr std::string_view SYMBOL_NAMES[N_SYMBOLS] = {
    "number", "constant", "variable", "power", "sqrt", "exp",  "log", "sin", "cos",    "tan",
    "tanh",   "sinh",     "cosh",     "asin",  "acos", "atan", "abs", "sum", "product"};

// Functions of one argument, each with its operator.
struct Function {
  Symbol symbol;
  Op op;
};
inline constexpr Function FUNCTIONS[] = {
    {Symbol::Sqrt, Op::Sqrt}, {Symbol::Exp, Op::Exp},   {Symbol::Log, Op::Log},   {Symbol::Sin, Op::Sin},
    {Symbol::Cos, Op::Cos},   {Symbol::Tan, Op::Tan},   {Symbol::Tanh, Op::Tanh}, {Symbol::Sinh, Op::Sinh},
    {Symbol::Cosh, Op::Cosh}, {Symbol::Asin, Op::Asin}, {Symbol::Acos, Op::Acos}, {Symbol::Atan, Op::Atan},
    {Symbol::Abs, Op::Abs}};

struct Structure {
  // A term or a factor.
  struct Part;

  Symbol symbol = Symbol::Number;
  double number = 0.0;      // of a number
  int variable = -1;        // column of a variable
  std::vector<Part> parts;  // of a sum or a product; a power has its base and its exponent, a function one

  bool is_number() const { return symbol == Symbol::Number; }
  bool is_constant() const { return symbol == Symbol::Constant; }
  bool is_fixed() const { return is_number() || is_constant(); }  // no variable in it
};

struct Structure::Part {
  bool is_inverse = false;  // subtracted in a sum, divided by in a product
  Structure structure;
};

Structure number_structure(double value);
Structure constant_structure();
Structure variable_structure(int column);

// Of terms and factors; what is trivial comes out as what it is: 0 + x as x. A term whose factor is fitted
// has no sign of its own, since that of the constant serves.
Structure sum_structure(std::vector<Structure::Part> terms);
Structure product_structure(std::vector<Structure::Part> factors);
Structure power_structure(Structure base, Structure exponent);
Structure call_structure(Symbol function, Structure argument);

// Of a formula in prefix order. `is_free` tells for each constant whether it is fitted.
Structure structure_of(const Vocabulary& vocabulary, const Formula& formula, std::span<const bool> is_free);

// The same, put together anew: itself, but for what the functions above would write otherwise.
Structure rebuilt(const Structure& structure);

bool is_same(const Structure& a, const Structure& b);

int n_constants(const Structure& structure);

}  // namespace ddsr

// The operator table: everything that is known of an operator is one row here.
//
// The kernels (kernels/loops.cpp) read its value and derivatives, the grammar its arity and what it undoes,
// and Python, through `_core.operators()`, how to print it and what NumPy and SymPy call it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// Columns: id, name, infix symbol ("" for f(a)), arity, precedence (9 for a function call), commutative,
// whether it can make a finite value of an operand that is not, name of the operator that it undoes ("" for
// none), NumPy's and SymPy's names ("" where Python's own arithmetic serves), LaTeX (#1 and #2 are the
// operands), then three expressions over the operands `a`, `b` and the value `v`: value, d value/da, d
// value/db.
//
// A derivative is taken where it exists; x^c in c is held still where x <= 0, since no other real exponent
// is near one that is defined there.
#define DDSR_OPERATORS(ROW)                                                                                  \
  ROW(Add, "add", "+", 2, 1, true, false, "", "", "", "#1 + #2", a + b, 1.0, 1.0)                            \
  ROW(Sub, "sub", "-", 2, 1, false, false, "", "", "", "#1 - #2", a - b, 1.0, -1.0)                          \
  ROW(Mul, "mul", "*", 2, 2, true, false, "", "", "", "#1 \\, #2", a* b, b, a)                               \
  ROW(Div, "div", "/", 2, 2, false, true, "", "", "", "\\frac{#1}{#2}", a / b, 1.0 / b, -v / b)              \
  ROW(Pow, "pow", "^", 2, 4, false, true, "", "", "", "{#1}^{#2}", pow(a, b), power_slope(v, a, b),          \
      a > 0.0 ? v * log(a) : 0.0)                                                                            \
  ROW(Sin, "sin", "", 1, 9, false, false, "asin", "sin", "sin", "\\sin\\left(#1\\right)", sin(a), cos(a),    \
      0.0)                                                                                                   \
  ROW(Cos, "cos", "", 1, 9, false, false, "acos", "cos", "cos", "\\cos\\left(#1\\right)", cos(a), -sin(a),   \
      0.0)                                                                                                   \
  ROW(Log, "log", "", 1, 9, false, false, "exp", "log", "log", "\\log\\left(#1\\right)", log(a), 1.0 / a,    \
      0.0)                                                                                                   \
  ROW(Sqrt, "sqrt", "", 1, 9, false, false, "square", "sqrt", "sqrt", "\\sqrt{#1}", sqrt(a), 0.5 / v, 0.0)   \
  ROW(Exp, "exp", "", 1, 9, false, true, "log", "exp", "exp", "e^{#1}", exp(a), v, 0.0)                      \
  ROW(Tan, "tan", "", 1, 9, false, false, "atan", "tan", "tan", "\\tan\\left(#1\\right)", tan(a),            \
      1.0 + v * v, 0.0)                                                                                      \
  ROW(Tanh, "tanh", "", 1, 9, false, true, "", "tanh", "tanh", "\\tanh\\left(#1\\right)", tanh(a),           \
      1.0 - v * v, 0.0)                                                                                      \
  ROW(Asin, "asin", "", 1, 9, false, false, "sin", "arcsin", "asin", "\\arcsin\\left(#1\\right)", asin(a),   \
      1.0 / sqrt((1.0 - a) * (1.0 + a)), 0.0)                                                                \
  ROW(Acos, "acos", "", 1, 9, false, false, "cos", "arccos", "acos", "\\arccos\\left(#1\\right)", acos(a),   \
      -1.0 / sqrt((1.0 - a) * (1.0 + a)), 0.0)                                                               \
  ROW(Atan, "atan", "", 1, 9, false, true, "tan", "arctan", "atan", "\\arctan\\left(#1\\right)", atan(a),    \
      1.0 / (1.0 + a * a), 0.0)                                                                              \
  ROW(Sinh, "sinh", "", 1, 9, false, false, "", "sinh", "sinh", "\\sinh\\left(#1\\right)", sinh(a), cosh(a), \
      0.0)                                                                                                   \
  ROW(Cosh, "cosh", "", 1, 9, false, false, "", "cosh", "cosh", "\\cosh\\left(#1\\right)", cosh(a), sinh(a), \
      0.0)                                                                                                   \
  ROW(Abs, "abs", "", 1, 9, false, false, "abs", "abs", "Abs", "\\left|#1\\right|", fabs(a),                 \
      a < 0.0 ? -1.0 : (a > 0.0 ? 1.0 : 0.0), 0.0)                                                           \
  ROW(Neg, "neg", "", 1, 9, false, false, "neg", "", "", "-#1", -a, -1.0, 0.0)                               \
  ROW(Inverse, "inverse", "", 1, 9, false, true, "inverse", "", "", "\\frac{1}{#1}", 1.0 / a, -v * v, 0.0)   \
  ROW(Square, "square", "", 1, 9, false, false, "sqrt", "", "", "{#1}^{2}", a* a, 2.0 * a, 0.0)              \
  ROW(Cube, "cube", "", 1, 9, false, false, "", "", "", "{#1}^{3}", a * a * a, 3.0 * a * a, 0.0)

namespace ddsr {

enum class Op : std::uint8_t {
#define ROW(id, ...) id,
  DDSR_OPERATORS(ROW)
#undef ROW
};

struct Operator {
  std::string_view name, symbol;
  int arity, precedence;
  bool is_commutative;    // and associative: + and *
  bool hides_non_finite;  // 1/inf, exp(-inf), tanh(inf): operands must be looked at
  std::string_view undoes, numpy, sympy, latex;
};

inline constexpr Operator OPERATORS[] = {
#define ROW(id, name, symbol, arity, precedence, commutative, hides, undoes, numpy, sympy, latex, ...) \
  {name, symbol, arity, precedence, commutative, hides, undoes, numpy, sympy, latex},
    DDSR_OPERATORS(ROW)
#undef ROW
};

inline constexpr int N_OPERATORS = static_cast<int>(std::size(OPERATORS));

inline constexpr const Operator& row_of(Op op) { return OPERATORS[static_cast<int>(op)]; }

}  // namespace ddsr

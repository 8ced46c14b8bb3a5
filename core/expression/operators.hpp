// The operator table: all facts about an operator are in its row.
//
// The kernels (kernels/loops.cpp) read its value and derivatives, the grammar its arity and the operator that
// it undoes, the simplifier its facts. Python reads all but the C++ expressions, through `_core.operators()`.
#pragma once

#include <array>
#include <cstdint>
#include <numbers>
#include <string_view>

// Columns: id, name, infix symbol ("" for f(a)), arity, precedence (9 for a function call), whether it is
// commutative, whether it can give a finite value for an operand that is not finite, name of the operator
// that it undoes ("" for none); the facts: parity, trend, domain, range, period (0 for none), degree (0 for
// none); the names in NumPy and SymPy ("" if Python's arithmetic serves), LaTeX (#1 and #2 are the operands),
// then three expressions in the operands `a`, `b` and the value `v`: value, d value/da, d value/db.
//
// Facts are for operators of one operand; those of two have None, All and 0.
// tests/expression/test_operator_facts.py checks them.
//
// Derivatives hold where they exist. That of x^c in c is 0 for x <= 0, because no other real exponent nearby
// is defined there. At a kink or jump the derivative is that of the branch whose value is taken.
#define DDSR_OPERATORS(ROW)                                                                                  \
  ROW(Add, "add", "+", 2, 1, true, false, "", None, None, All, All, 0.0, 0.0, "", "", "#1 + #2", a + b, 1.0, \
      1.0)                                                                                                   \
  ROW(Sub, "sub", "-", 2, 1, false, false, "", None, None, All, All, 0.0, 0.0, "", "", "#1 - #2", a - b,     \
      1.0, -1.0)                                                                                             \
  ROW(Mul, "mul", "*", 2, 2, true, false, "", None, None, All, All, 0.0, 0.0, "", "", "#1 \\, #2", a* b, b,  \
      a)                                                                                                     \
  ROW(Div, "div", "/", 2, 2, false, true, "", None, None, All, All, 0.0, 0.0, "", "", "\\frac{#1}{#2}",      \
      a / b, 1.0 / b, -v / b)                                                                                \
  ROW(Pow, "pow", "^", 2, 4, false, true, "", None, None, All, All, 0.0, 0.0, "", "", "{#1}^{#2}",           \
      pow(a, b), power_slope(v, a, b), a > 0.0 ? v * log(a) : 0.0)                                           \
  ROW(Sin, "sin", "", 1, 9, false, false, "asin", Odd, None, All, Unit, FULL_TURN, 0.0, "sin", "sin",        \
      "\\sin\\left(#1\\right)", sin(a), cos(a), 0.0)                                                         \
  ROW(Cos, "cos", "", 1, 9, false, false, "acos", Even, None, All, Unit, FULL_TURN, 0.0, "cos", "cos",       \
      "\\cos\\left(#1\\right)", cos(a), -sin(a), 0.0)                                                        \
  ROW(Log, "log", "", 1, 9, false, false, "exp", None, Rising, Positive, All, 0.0, 0.0, "log", "log",        \
      "\\log\\left(#1\\right)", log(a), 1.0 / a, 0.0)                                                        \
  ROW(Sqrt, "sqrt", "", 1, 9, false, false, "square", None, Rising, Nonnegative, Nonnegative, 0.0, 0.5,      \
      "sqrt", "sqrt", "\\sqrt{#1}", sqrt(a), 0.5 / v, 0.0)                                                   \
  ROW(Exp, "exp", "", 1, 9, false, true, "log", None, Rising, All, Positive, 0.0, 0.0, "exp", "exp",         \
      "e^{#1}", exp(a), v, 0.0)                                                                              \
  ROW(Tan, "tan", "", 1, 9, false, false, "atan", Odd, None, All, All, FULL_TURN / 2.0, 0.0, "tan", "tan",   \
      "\\tan\\left(#1\\right)", tan(a), 1.0 + v * v, 0.0)                                                    \
  ROW(Tanh, "tanh", "", 1, 9, false, true, "", Odd, Rising, All, Unit, 0.0, 0.0, "tanh", "tanh",             \
      "\\tanh\\left(#1\\right)", tanh(a), 1.0 - v * v, 0.0)                                                  \
  ROW(Asin, "asin", "", 1, 9, false, false, "sin", Odd, Rising, Unit, All, 0.0, 0.0, "arcsin", "asin",       \
      "\\arcsin\\left(#1\\right)", asin(a), 1.0 / sqrt((1.0 - a) * (1.0 + a)), 0.0)                          \
  ROW(Acos, "acos", "", 1, 9, false, false, "cos", None, Falling, Unit, Nonnegative, 0.0, 0.0, "arccos",     \
      "acos", "\\arccos\\left(#1\\right)", acos(a), -1.0 / sqrt((1.0 - a) * (1.0 + a)), 0.0)                 \
  ROW(Atan, "atan", "", 1, 9, false, true, "tan", Odd, Rising, All, All, 0.0, 0.0, "arctan", "atan",         \
      "\\arctan\\left(#1\\right)", atan(a), 1.0 / (1.0 + a * a), 0.0)                                        \
  ROW(Sinh, "sinh", "", 1, 9, false, false, "", Odd, Rising, All, All, 0.0, 0.0, "sinh", "sinh",             \
      "\\sinh\\left(#1\\right)", sinh(a), cosh(a), 0.0)                                                      \
  ROW(Cosh, "cosh", "", 1, 9, false, false, "", Even, None, All, Positive, 0.0, 0.0, "cosh", "cosh",         \
      "\\cosh\\left(#1\\right)", cosh(a), sinh(a), 0.0)                                                      \
  ROW(Abs, "abs", "", 1, 9, false, false, "abs", Even, None, All, Nonnegative, 0.0, 1.0, "abs", "Abs",       \
      "\\left|#1\\right|", fabs(a), a < 0.0 ? -1.0 : (a > 0.0 ? 1.0 : 0.0), 0.0)                             \
  ROW(Neg, "neg", "", 1, 9, false, false, "neg", Odd, Falling, All, All, 0.0, 1.0, "", "", "-#1", -a, -1.0,  \
      0.0)                                                                                                   \
  ROW(Inverse, "inverse", "", 1, 9, false, true, "inverse", Odd, None, Nonzero, Nonzero, 0.0, -1.0, "", "",  \
      "\\frac{1}{#1}", 1.0 / a, -v * v, 0.0)                                                                 \
  ROW(Square, "square", "", 1, 9, false, false, "sqrt", Even, None, All, Nonnegative, 0.0, 2.0, "", "",      \
      "{#1}^{2}", a* a, 2.0 * a, 0.0)                                                                        \
  ROW(Cube, "cube", "", 1, 9, false, false, "", Odd, Rising, All, All, 0.0, 3.0, "", "", "{#1}^{3}",         \
      a * a * a, 3.0 * a * a, 0.0)                                                                           \
  ROW(Min, "min", "", 2, 9, true, true, "", None, None, All, All, 0.0, 0.0, "minimum", "Min",                \
      "\\min\\left(#1, #2\\right)", a < b ? a : b, a < b ? 1.0 : 0.0, a < b ? 0.0 : 1.0)                     \
  ROW(Max, "max", "", 2, 9, true, true, "", None, None, All, All, 0.0, 0.0, "maximum", "Max",                \
      "\\max\\left(#1, #2\\right)", a > b ? a : b, a > b ? 1.0 : 0.0, a > b ? 0.0 : 1.0)                     \
  ROW(Sign, "sign", "", 1, 9, false, true, "", Odd, None, All, Unit, 0.0, 0.0, "sign", "sign",               \
      "\\operatorname{sign}\\left(#1\\right)", a < 0.0 ? -1.0 : (a > 0.0 ? 1.0 : 0.0), 0.0, 0.0)             \
  ROW(Floor, "floor", "", 1, 9, false, false, "", None, None, All, All, 0.0, 0.0, "floor", "floor",          \
      "\\left\\lfloor #1 \\right\\rfloor", floor(a), 0.0, 0.0)                                               \
  ROW(Step, "step", "", 1, 9, false, true, "", None, None, All, Nonnegative, 0.0, 0.0, "heaviside",          \
      "Heaviside", "\\operatorname{step}\\left(#1\\right)", a >= 0.0 ? 1.0 : 0.0, 0.0, 0.0)                  \
  ROW(Erf, "erf", "", 1, 9, false, true, "", Odd, Rising, All, Unit, 0.0, 0.0, "erf", "erf",                 \
      "\\operatorname{erf}\\left(#1\\right)", erf(a), 2.0 * std::numbers::inv_sqrtpi * exp(-a * a), 0.0)     \
  ROW(Gamma, "gamma", "", 1, 9, false, false, "", None, None, NotPole, Nonzero, 0.0, 0.0, "gamma", "gamma",  \
      "\\Gamma\\left(#1\\right)", tgamma(a), v* digamma(a), 0.0)                                             \
  ROW(Logistic, "logistic", "", 1, 9, false, true, "", None, Rising, All, Positive, 0.0, 0.0, "logistic",    \
      "", "\\operatorname{logistic}\\left(#1\\right)", 1.0 / (1.0 + exp(-a)), v * (1.0 - v), 0.0)            \
  ROW(Relu, "relu", "", 1, 9, false, true, "relu", None, None, All, Nonnegative, 0.0, 1.0, "relu", "",       \
      "\\operatorname{relu}\\left(#1\\right)", a > 0.0 ? a : 0.0, a > 0.0 ? 1.0 : 0.0, 0.0)                  \
  ROW(Atan2, "atan2", "", 2, 9, false, true, "", None, None, All, All, 0.0, 0.0, "arctan2", "atan2",         \
      "\\operatorname{atan2}\\left(#1, #2\\right)", atan2(a, b), over_squares(b, a, b),                      \
      over_squares(-a, a, b))                                                                                \
  ROW(Hypot, "hypot", "", 2, 9, true, false, "", None, None, All, All, 0.0, 0.0, "hypot", "",                \
      "\\operatorname{hypot}\\left(#1, #2\\right)", hypot(a, b), v != 0.0 ? a / v : 0.0,                     \
      v != 0.0 ? b / v : 0.0)                                                                                \
  /* the root of a filled template (template.hpp), which `compile` replaces by the whole formula */          \
  ROW(Template, "template", "", 1, 9, false, false, "", None, None, All, All, 0.0, 0.0, "", "", "#1", a,     \
      1.0, 0.0)                                                                                              \
  /* operators that a vocabulary defines (own_operator.hpp), of one operand and of two */                    \
  DDSR_OWN_OPERATORS(ROW, Own, "own ", 1)                                                                    \
  DDSR_OWN_OPERATORS(ROW, OwnPair, "own pair ", 2)

// Nothing is known of them, so every operand is checked.
#define DDSR_OWN_OPERATOR(ROW, id, name, arity)                                                              \
  ROW(id, name, "", arity, 9, false, true, "", None, None, All, All, 0.0, 0.0, "own", "own", "#1", NAN, NAN, \
      NAN)
#define DDSR_OWN_OPERATORS(ROW, id, name, arity) \
  DDSR_OWN_OPERATOR(ROW, id##1, name "1", arity) \
  DDSR_OWN_OPERATOR(ROW, id##2, name "2", arity) \
  DDSR_OWN_OPERATOR(ROW, id##3, name "3", arity) \
  DDSR_OWN_OPERATOR(ROW, id##4, name "4", arity) \
  DDSR_OWN_OPERATOR(ROW, id##5, name "5", arity) \
  DDSR_OWN_OPERATOR(ROW, id##6, name "6", arity) \
  DDSR_OWN_OPERATOR(ROW, id##7, name "7", arity) \
  DDSR_OWN_OPERATOR(ROW, id##8, name "8", arity)

namespace ddsr {

enum class Op : std::uint8_t {
#define ROW(id, ...) id,
  DDSR_OPERATORS(ROW)
#undef ROW
};

// f(-x) = -f(x), or f(-x) = f(x).
enum class Parity : std::uint8_t { None, Odd, Even };
// Strictly, over the whole domain: 1/x, which falls on both sides of 0, has none.
enum class Trend : std::uint8_t { None, Rising, Falling };
// Sets of real numbers; Unit is [-1, 1], and NotPole all but the poles of gamma: 0, -1, -2, ...
enum class Reals : std::uint8_t { All, Nonzero, Nonnegative, Positive, Unit, NotPole };

inline constexpr double FULL_TURN = 2.0 * std::numbers::pi;

struct Operator {
  std::string_view name, symbol;
  int arity, precedence;
  bool is_commutative;    // also associative: + and *
  bool hides_non_finite;  // 1/inf, exp(-inf), tanh(inf): operands must be checked
  std::string_view undoes;
  Parity parity;
  Trend trend;
  Reals domain;   // operands that have a value, except for the poles of tan, which no double hits
  Reals range;    // the smallest of these sets that contains all values
  double period;  // 0: none
  double degree;  // d with f(c*x) = c^d * f(x) for all c > 0; 0: none
  std::string_view numpy, sympy, latex;

  constexpr bool is_odd() const { return parity == Parity::Odd; }
  constexpr bool is_even() const { return parity == Parity::Even; }
  constexpr bool is_periodic() const { return period != 0.0; }
};

inline constexpr Operator OPERATORS[] = {
#define ROW(id, name, symbol, arity, precedence, commutative, hides, undoes, parity, trend, domain, range, \
            period, degree, numpy, sympy, latex, ...)                                                      \
  {name,         symbol,        arity,        precedence, commutative, hides, undoes, Parity::parity,      \
   Trend::trend, Reals::domain, Reals::range, period,     degree,      numpy, sympy,  latex},
    DDSR_OPERATORS(ROW)
#undef ROW
};

inline constexpr int N_OPERATORS = static_cast<int>(std::size(OPERATORS));

// Whether a vocabulary defines it.
inline constexpr bool is_own(Op op) { return op >= Op::Own1; }

inline constexpr const Operator& row_of(Op op) { return OPERATORS[static_cast<int>(op)]; }

// d log(gamma)/dx
double digamma(double x);

// Whether outer(inner(x)) = x wherever inner(x) exists. This does not hold for functions such as sin that
// take a value several times, because their inverse finds only one of the operands.
constexpr bool is_undone_by(Op inner, Op outer) {
  return row_of(inner).trend != Trend::None && row_of(outer).undoes == row_of(inner).name;
}

// The value of an operator; b is ignored if it takes one operand. NaN for those that a vocabulary defines.
double value_of(Op op, double a, double b = 0.0);

}  // namespace ddsr

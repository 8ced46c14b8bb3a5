#include "evolution/inversion.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace ddsr {

namespace {

constexpr double PI = std::numbers::pi;
constexpr double SLOPE_OF_ERF = 2.0 * std::numbers::inv_sqrtpi;  // at 0
constexpr Needed NONE{std::numeric_limits<double>::quiet_NaN(), 0.0};

double nearest_turn(double angle, double period, double current) {
  return angle + period * std::nearbyint((current - angle) / period);
}

double nearer(double a, double b, double current) {
  return std::fabs(a - current) <= std::fabs(b - current) ? a : b;
}

Needed needed_base(double wanted, double exponent, double current) {
  const bool is_whole = exponent == std::nearbyint(exponent);
  const bool is_odd = is_whole && std::fmod(std::fabs(exponent), 2.0) == 1.0;
  if (exponent == 0.0 || (wanted < 0.0 && !is_odd)) return NONE;
  double base = std::pow(std::fabs(wanted), 1.0 / exponent);
  if (wanted < 0.0 || (is_whole && !is_odd && current < 0.0)) base = -base;
  return {base, exponent * wanted / base};
}

// By Newton's method from Winitzki's approximation, whose error is below 0.5 %.
double inverse_erf(double t) {
  constexpr double A = 0.147;
  const double log = std::log1p(-t * t), half = 2.0 / (PI * A) + 0.5 * log;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / A) - half), t);
  for (int step = 0; step < 3; ++step) x -= (std::erf(x) - t) / (SLOPE_OF_ERF * std::exp(-x * x));
  return x;
}

}  // namespace

Needed needed_operand(Op op, bool is_first, double wanted, double other, double current) {
  const double t = wanted;
  switch (op) {
    case Op::Add:
      return {t - other, 1.0};
    case Op::Sub:
      return {is_first ? t + other : other - t, 1.0};
    case Op::Mul:
      return {t / other, other};
    case Op::Div:
      return is_first ? Needed{t * other, 1.0 / other} : Needed{other / t, t * t / other};
    case Op::Pow:
      if (is_first) return needed_base(t, other, current);
      return other > 0.0 && t > 0.0 ? Needed{std::log(t) / std::log(other), t * std::log(other)} : NONE;
    case Op::Sin: {
      const double angle = std::asin(t);
      return {nearer(nearest_turn(angle, FULL_TURN, current), nearest_turn(PI - angle, FULL_TURN, current),
                     current),
              std::sqrt(1.0 - t * t)};
    }
    case Op::Cos: {
      const double angle = std::acos(t);
      return {
          nearer(nearest_turn(angle, FULL_TURN, current), nearest_turn(-angle, FULL_TURN, current), current),
          std::sqrt(1.0 - t * t)};
    }
    case Op::Tan:
      return {nearest_turn(std::atan(t), PI, current), 1.0 + t * t};
    case Op::Log:
      return {std::exp(t), std::exp(-t)};
    case Op::Exp:
      return {std::log(t), t};
    case Op::Sqrt:
      return t >= 0.0 ? Needed{t * t, 0.5 / t} : NONE;
    case Op::Tanh:
      return {std::atanh(t), 1.0 - t * t};
    case Op::Asin:
      return std::fabs(t) <= PI / 2.0 ? Needed{std::sin(t), 1.0 / std::cos(t)} : NONE;
    case Op::Acos:
      return t >= 0.0 && t <= PI ? Needed{std::cos(t), 1.0 / std::sin(t)} : NONE;
    case Op::Atan:
      return std::fabs(t) < PI / 2.0 ? Needed{std::tan(t), std::cos(t) * std::cos(t)} : NONE;
    case Op::Sinh:
      return {std::asinh(t), std::sqrt(1.0 + t * t)};
    case Op::Cosh:
      return {std::copysign(std::acosh(t), current), std::sqrt(t * t - 1.0)};
    case Op::Abs:
      return t >= 0.0 ? Needed{std::copysign(t, current), 1.0} : NONE;
    case Op::Neg:
      return {-t, 1.0};
    case Op::Inverse:
      return {1.0 / t, t * t};
    case Op::Square:
      return needed_base(t, 2.0, current);
    case Op::Cube:
      return needed_base(t, 3.0, current);
    case Op::Min:  // an operand beyond the other is not seen
      return t < other ? Needed{t, 1.0} : NONE;
    case Op::Max:
      return t > other ? Needed{t, 1.0} : NONE;
    case Op::Relu:
      return t > 0.0 ? Needed{t, 1.0} : NONE;
    case Op::Erf: {
      const double x = inverse_erf(t);
      return {x, SLOPE_OF_ERF * std::exp(-x * x)};
    }
    case Op::Logistic:
      return {std::log(t / (1.0 - t)), t * (1.0 - t)};
    case Op::Atan2: {
      const double needed = is_first ? other * std::tan(t) : other / std::tan(t);
      const bool is_in_quadrant = other * (is_first ? std::cos(t) : std::sin(t)) > 0.0;
      return is_in_quadrant ? Needed{needed, other / (other * other + needed * needed)} : NONE;
    }
    case Op::Hypot: {
      if (t < std::fabs(other)) return NONE;
      const double needed = std::copysign(std::sqrt((t - other) * (t + other)), current);
      return {needed, needed / t};
    }
    default:  // gamma, functions that are flat, and those that a vocabulary defines
      return NONE;
  }
}

}  // namespace ddsr

#include <numbers>

#include "price/building_parts.hpp"

namespace ddsr {

using namespace building;

namespace {

Structure with_known_exponent(Structure base, double exponent) {
  auto with_inner = [&](Structure both) {
    return power_structure(std::move(base.parts[0].structure), std::move(both));
  };
  if (exponent == 0.0) return number_structure(1.0);
  if (exponent == 1.0) return base;
  if (exponent == 0.5) return call_structure(Symbol::Sqrt, std::move(base));
  if (exponent < 0.0)
    return product_structure({{true, power_structure(std::move(base), number_structure(-exponent))}});
  switch (base.symbol) {
    case Symbol::Sqrt:
      return with_inner(number_structure(0.5 * exponent));
    case Symbol::Exp:
      return call_structure(Symbol::Exp, times_number(exponent, std::move(base.parts[0].structure)));
    case Symbol::Power: {
      const Structure inner = base.parts[1].structure;
      if (is_even_power(base) && !is_whole(exponent)) break;
      if (inner.is_number()) return with_inner(number_structure(inner.number * exponent));
      if (inner.is_constant()) return with_inner(constant_structure(inner.number * exponent));
      break;
    }
    case Symbol::Product:
      if (is_whole(exponent)) {
        for (Part& part : base.parts)
          part.structure = power_structure(std::move(part.structure), number_structure(exponent));
        return product_structure(std::move(base.parts));
      }
      if (base.parts.front().structure.is_constant() && base.parts.front().structure.number > 0.0) {
        auto [value, is_fitted, rest] = split(std::move(base));
        return times_constant(std::pow(value, exponent),
                              power_structure(std::move(rest), number_structure(exponent)));
      }
      break;
    default:
      break;
  }
  return product_structure(
      {{false, raw(Symbol::Power, {{false, std::move(base)}, {false, number_structure(exponent)}})}});
}

Structure with_fitted_exponent(Structure base, double exponent) {
  switch (base.symbol) {
    case Symbol::Sqrt:
      return power_structure(std::move(base.parts[0].structure), constant_structure(0.5 * exponent));
    case Symbol::Exp:
      return call_structure(Symbol::Exp, times_constant(exponent, std::move(base.parts[0].structure)));
    case Symbol::Power:
      if (base.parts[1].structure.is_fixed() && !is_even_power(base)) {
        const double both = base.parts[1].structure.number * exponent;
        return power_structure(std::move(base.parts[0].structure), constant_structure(both));
      }
      break;
    case Symbol::Product: {
      if (base.parts.front().structure.is_constant() && base.parts.front().structure.number > 0.0) {
        auto [value, is_fitted, rest] = split(std::move(base));
        return times_constant(std::pow(value, exponent),
                              power_structure(std::move(rest), constant_structure(exponent)));
      }
      const bool is_below =
          std::all_of(base.parts.begin(), base.parts.end(), [](const Part& part) { return part.is_inverse; });
      if (is_below) {
        for (Part& part : base.parts) part.is_inverse = false;
        return power_structure(product_structure(std::move(base.parts)), constant_structure(-exponent));
      }
      break;
    }
    default:
      break;
  }
  return product_structure(
      {{false, raw(Symbol::Power, {{false, std::move(base)}, {false, constant_structure(exponent)}})}});
}

// Removes the quarter turns with which a sum begins and returns their number.
int take_quarter_turns(Structure& argument) {
  if (argument.symbol != Symbol::Sum || !argument.parts.front().structure.is_number()) return 0;
  const Part& first = argument.parts.front();
  const double turns = first.structure.number / (0.5 * std::numbers::pi), whole = std::round(turns);
  if (whole == 0.0 || std::fabs(whole) > 1e6 || std::fabs(turns - whole) > 1e-9 * std::fabs(whole)) return 0;
  const int n = static_cast<int>(first.is_inverse ? -whole : whole);
  argument.parts.erase(argument.parts.begin());
  argument = sum_structure(std::move(argument.parts));
  return n;
}

// sin(pi / 2 + x) is cos(x), and sin(pi + x) is -sin(x).
Structure turned(Symbol function, Structure argument, int n_quarters) {
  const int n = (((function == Symbol::Cos ? 1 : 0) + n_quarters) % 4 + 4) % 4;  // quarters of the sine
  Structure call = call_structure(n % 2 == 0 ? Symbol::Sin : Symbol::Cos, std::move(argument));
  return n < 2 ? call : times_number(-1.0, std::move(call));
}

Structure logarithm(Structure of) {
  auto inner = [&] { return call_structure(Symbol::Log, std::move(of.parts[0].structure)); };
  if (of.symbol == Symbol::Exp) return std::move(of.parts[0].structure);
  if (of.symbol == Symbol::Sqrt) return times_number(0.5, inner());
  if (is_power(of) && of.parts[1].structure.is_fixed() && !is_even_power(of)) {
    Structure exponent = of.parts[1].structure;
    return times(std::move(exponent), inner());
  }
  if (!is_product(of)) return raw(Symbol::Log, {{false, std::move(of)}});
  if (of.parts.front().structure.is_constant() && of.parts.front().structure.number > 0.0) {
    auto [value, is_fitted, rest] = split(std::move(of));  // log(c * x) is c + log(x)
    return sum_structure({{false, constant_structure(std::log(value))},
                          {false, call_structure(Symbol::Log, std::move(rest))}});
  }
  if (of.parts.front().is_inverse) {  // all of it is in the denominator
    for (Part& part : of.parts) part.is_inverse = false;
    return times_number(-1.0, call_structure(Symbol::Log, product_structure(std::move(of.parts))));
  }
  return raw(Symbol::Log, {{false, std::move(of)}});
}

}  // namespace

Structure power_structure(Structure base, Structure exponent) {
  if (base.is_fixed() && exponent.is_fixed()) {
    const double value = std::pow(base.number, exponent.number);
    const bool is_known = base.is_number() && exponent.is_number() && std::isfinite(value);
    return is_known ? number_structure(value) : constant_structure(value);
  }
  const bool is_exponential = base.is_constant() || (base.is_number() && has_fitted_factor(exponent));
  if (is_exponential && base.number > 0.0)  // 2^(c * x) is exp(c * x)
    return call_structure(Symbol::Exp, times_constant(std::log(base.number), std::move(exponent)));
  if (exponent.is_number()) return with_known_exponent(std::move(base), exponent.number);
  if (exponent.is_constant()) return with_fitted_exponent(std::move(base), exponent.number);
  return raw(Symbol::Power, {{false, std::move(base)}, {false, std::move(exponent)}});
}

Structure call_structure(Symbol function, Structure argument) {
  if (argument.is_fixed()) {
    const double value = value_of(op_of(function), argument.number);
    const bool is_known = argument.is_number() && std::isfinite(value);
    return is_known ? number_structure(value) : constant_structure(value);
  }
  if (function == Symbol::Log) return logarithm(std::move(argument));
  if (function == Symbol::Sin || function == Symbol::Cos) {
    const int n_quarters = take_quarter_turns(argument);
    if (n_quarters != 0) return turned(function, std::move(argument), n_quarters);
  }
  const Structure first = argument.parts.empty() ? argument : argument.parts.front().structure;
  if (function == Symbol::Abs && is_product(argument) && first.is_constant())
    return times_constant(std::fabs(first.number),
                          call_structure(Symbol::Abs, split(std::move(argument)).rest));
  const bool is_negative = is_product(argument) && first.is_number() && first.number < 0.0;
  const Parity parity = is_negative ? row_of(op_of(function)).parity : Parity::None;
  if (parity != Parity::None) {
    Structure call = call_structure(function, times_number(-1.0, std::move(argument)));
    return parity == Parity::Even ? call : times_number(-1.0, std::move(call));
  }
  if (function == Symbol::Cos && argument.symbol == Symbol::Sum && first.is_constant()) {
    function = Symbol::Sin;
    argument.parts.front().structure.number += 0.5 * std::numbers::pi;
  }
  Structure call = raw(function, {{false, std::move(argument)}});
  const bool is_factor = function == Symbol::Sqrt || function == Symbol::Exp;
  return is_factor ? product_structure({{false, std::move(call)}}) : std::move(call);
}

Structure other_structure(Op op, Parts arguments) {
  const bool is_fixed =
      std::ranges::all_of(arguments, [](const Part& part) { return part.structure.is_fixed(); });
  if (is_fixed && !is_own(op)) {
    const double value = value_of(op, arguments.front().structure.number, arguments.back().structure.number);
    const bool is_known =
        std::ranges::all_of(arguments, [](const Part& part) { return part.structure.is_number(); });
    return is_known && std::isfinite(value) ? number_structure(value) : constant_structure(value);
  }
  if (row_of(op).is_commutative) sort_parts(arguments);
  Structure& argument = arguments.front().structure;
  if (arguments.size() == 1 && is_product(argument)) {
    const Structure first = argument.parts.front().structure;
    const bool is_branch = op == Op::Sign || op == Op::Step || op == Op::Relu;
    if (is_branch && first.is_constant() && first.number > 0.0) {  // relu(c * x) is c * relu(x)
      Structure call = other_structure(op, {{false, split(std::move(argument)).rest}});
      return op == Op::Relu ? times_constant(first.number, std::move(call)) : call;
    }
    if (row_of(op).is_odd() && first.is_number() && first.number < 0.0)
      return times_number(-1.0, other_structure(op, {{false, times_number(-1.0, std::move(argument))}}));
  }
  return {Symbol::Other, 0.0, -1, std::move(arguments), op};
}

Structure rebuilt(const Structure& structure) {
  Parts parts;
  for (const Part& part : structure.parts) parts.push_back({part.is_inverse, rebuilt(part.structure)});
  switch (structure.symbol) {
    case Symbol::Number:
    case Symbol::Constant:
    case Symbol::Variable:
      return structure;
    case Symbol::Sum:
      return sum_structure(std::move(parts));
    case Symbol::Product:
      return product_structure(std::move(parts));
    case Symbol::Power:
      return power_structure(std::move(parts[0].structure), std::move(parts[1].structure));
    case Symbol::Other:
      return other_structure(structure.op, std::move(parts));
    default:
      return call_structure(structure.symbol, std::move(parts[0].structure));
  }
}

}  // namespace ddsr

#include "price/writing.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace ddsr {

namespace {

using Parts = std::span<const Structure::Part>;

class Writer {
 public:
  explicit Writer(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  void put(const Structure& structure) {
    switch (structure.symbol) {
      case Symbol::Number:
        number(structure.number);
        return;
      case Symbol::Constant:
        constant(structure.number, false);
        return;
      case Symbol::Variable:
        token(static_cast<TokenId>(vocabulary_.first_variable() + structure.variable));
        return;
      case Symbol::Sum:
        sum(signed_terms(structure.parts));
        return;
      case Symbol::Product:
        product(structure.parts);
        return;
      case Symbol::Power:
        power(structure.parts);
        return;
      default:
        function(structure);
    }
  }

  bool is_complete = true;
  Written written;

 private:
  // Terms of a negative constant are subtracted, after the others; so is a number, which leads its sum.
  static std::vector<Structure::Part> signed_terms(Parts parts) {
    std::vector<Structure::Part> kept, subtracted;
    for (Structure::Part part : parts) {
      const bool is_scaled = part.structure.symbol == Symbol::Product;
      Structure& first = is_scaled ? part.structure.parts.front().structure : part.structure;
      const bool is_negative = first.is_constant() && first.number < 0.0;
      if (is_negative) first.number = -first.number, part.is_inverse = !part.is_inverse;
      const bool is_last = is_negative || (part.is_inverse && part.structure.is_number());
      (is_last ? subtracted : kept).push_back(std::move(part));
    }
    kept.insert(kept.end(), subtracted.begin(), subtracted.end());
    return kept;
  }

  // The last part is the second operand of the operator that comes first.
  void sum(Parts parts) {
    const Structure::Part& last = parts.back();
    if (parts.size() == 1) {
      Structure alone = last.structure;
      const bool is_scaled = alone.symbol == Symbol::Product && alone.parts.front().structure.is_fixed();
      Structure& first = is_scaled ? alone.parts.front().structure : alone;
      if (last.is_inverse && first.is_fixed())
        first.number = -first.number;
      else if (last.is_inverse)
        op(Op::Mul), number(-1.0);
      put(alone);
      return;
    }
    op(last.is_inverse ? Op::Sub : Op::Add), sum(parts.first(parts.size() - 1)), put(last.structure);
  }

  void product(Parts parts) {
    std::size_t n_kept = 0;
    while (n_kept < parts.size() && !parts[n_kept].is_inverse) ++n_kept;
    const Parts above = parts.first(n_kept), below = parts.subspan(n_kept);
    if (!below.empty()) op(Op::Div);
    if (above.empty())
      number(1.0);
    else
      factors(above);
    if (!below.empty()) factors(below);
  }

  void function(const Structure& structure) {
    const Op operation = op_of(structure.symbol);
    const bool is_power = operation == Op::Sqrt && vocabulary_.find(operation) < 0;
    op(is_power ? Op::Pow : operation), put(structure.parts[0].structure);
    if (is_power) number(0.5);
  }

  void factors(Parts parts) {
    if (parts.size() > 1) op(Op::Mul), factors(parts.first(parts.size() - 1));
    put(parts.back().structure);
  }

  void power(Parts parts) {
    const Structure& exponent = parts[1].structure;
    const bool is_square = exponent.is_number() && exponent.number == 2.0;
    if (is_square && vocabulary_.find(Op::Square) >= 0) {
      op(Op::Square), put(parts[0].structure);
    } else if (is_square && vocabulary_.find(Op::Pow) < 0) {
      is_complete &= parts[0].structure.symbol == Symbol::Variable;  // a constant in it would become two
      op(Op::Mul), put(parts[0].structure), put(parts[0].structure);
    } else if (exponent.is_number() && exponent.number == 3.0 && vocabulary_.find(Op::Cube) >= 0) {
      op(Op::Cube), put(parts[0].structure);
    } else {
      op(Op::Pow), put(parts[0].structure), put(exponent);
    }
  }

  void number(double value) {
    if (value == 1.0 && vocabulary_.one() >= 0)
      token(vocabulary_.one());
    else
      constant(value, true);
  }

  void constant(double value, bool is_fixed) {
    token(vocabulary_.constant());
    written.formula.constants.push_back(value), written.is_fixed.push_back(is_fixed);
  }

  void op(Op op) { token(vocabulary_.find(op)); }

  void token(TokenId id) {
    is_complete &= id >= 0;
    written.formula.tokens.push_back(id);
  }

  const Vocabulary& vocabulary_;
};

}  // namespace

std::optional<Written> write(const Vocabulary& vocabulary, const Structure& structure) {
  Writer writer(vocabulary);
  writer.put(structure);
  if (!writer.is_complete) return {};
  return std::move(writer.written);
}

}  // namespace ddsr

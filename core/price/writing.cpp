#include "price/writing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

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
      case Symbol::Other:
        op(structure.op);
        for (const Structure::Part& part : structure.parts) put(part.structure);
        return;
      default:
        function(structure);
    }
  }

  bool is_complete = true;
  Written written;

 private:
  // Terms with a negative constant are subtracted, after the others; so is a number, which leads its sum.
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

  // The last part is the second operand of the outermost operator.
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

  // -c * (x - d) becomes c * (d - x).
  static void turn_difference(std::vector<Structure::Part>& factors) {
    Structure& first = factors.front().structure;
    if (factors.front().is_inverse || !first.is_constant() || first.number >= 0.0) return;
    const auto difference = std::ranges::find_if(factors, [](const Structure::Part& part) {
      const std::vector<Structure::Part>& terms = part.structure.parts;
      return part.structure.symbol == Symbol::Sum && terms.size() == 2 && is_subtracted(terms);
    });
    if (difference == factors.end()) return;
    first.number = -first.number;
    std::vector<Structure::Part> terms = signed_terms(difference->structure.parts);
    for (Structure::Part& term : terms) term.is_inverse = !term.is_inverse;
    std::ranges::stable_partition(terms, [](const Structure::Part& term) { return !term.is_inverse; });
    difference->structure.parts = std::move(terms);
  }

  // Whether exactly one of two terms is subtracted in this notation.
  static bool is_subtracted(const std::vector<Structure::Part>& terms) {
    const std::vector<Structure::Part> written = signed_terms(terms);
    return written[0].is_inverse != written[1].is_inverse;
  }

  // x * sqrt(x) becomes x^1.5.
  std::vector<Structure::Part> with_half_powers(Parts parts) const {
    std::vector<Structure::Part> written(parts.begin(), parts.end());
    if (vocabulary_.find(Op::Pow) < 0) return written;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i].structure.symbol != Symbol::Sqrt) continue;
      const Structure& rooted = written[i].structure.parts[0].structure;
      const auto other = std::ranges::find_if(written, [&](const Structure::Part& part) {
        return part.is_inverse == written[i].is_inverse && is_whole_power_of(part.structure, rooted);
      });
      if (other == written.end()) continue;
      const bool is_power = other->structure.symbol == Symbol::Power;
      const double exponent = is_power ? other->structure.parts[1].structure.number : 1.0;
      other->structure = {
          Symbol::Power, 0.0, -1, {{false, rooted}, {false, number_structure(exponent + 0.5)}}};
      written.erase(written.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    return written;
  }

  static bool is_whole_power_of(const Structure& structure, const Structure& base) {
    if (base.symbol != Symbol::Variable) return false;
    if (structure.symbol != Symbol::Power) return is_same(structure, base);
    const Structure& exponent = structure.parts[1].structure;
    return is_same(structure.parts[0].structure, base) && exponent.is_number() &&
           exponent.number == std::trunc(exponent.number);
  }

  void product(Parts factors_as_read) {
    std::vector<Structure::Part> merged = with_half_powers(factors_as_read);
    turn_difference(merged);
    if (merged.size() == 1 && !merged.front().is_inverse) return put(merged.front().structure);
    const Parts parts = merged;
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
      is_complete &= parts[0].structure.symbol == Symbol::Variable;  // a constant in it would be duplicated
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

#include "price/building_parts.hpp"

namespace ddsr {

using namespace building;

namespace {

// All terms of nested sums, with equal ones combined.
class Terms {
 public:
  void take(bool is_inverse, Structure term) {
    if (term.symbol == Symbol::Sum) {
      for (Part& part : term.parts) take(is_inverse != part.is_inverse, std::move(part.structure));
    } else if (term.is_fixed()) {
      has_constant_ |= term.is_constant();
      number_ += is_inverse ? -term.number : term.number;
    } else {
      take_scaled(is_inverse, std::move(term));
    }
  }

  Structure made() {
    Parts parts;
    for (Scaled& term : terms_) {
      if (term.is_fitted) {
        parts.push_back({false, times_constant(term.factor, std::move(term.structure))});
      } else if (term.factor != 0.0) {
        parts.push_back({term.factor < 0.0, times_number(std::fabs(term.factor), std::move(term.structure))});
      }
    }
    sort_parts(parts);
    if (has_constant_)
      parts.insert(parts.begin(), {false, constant_structure(number_)});
    else if (number_ != 0.0)
      parts.insert(parts.begin(), {number_ < 0.0, number_structure(std::fabs(number_))});
    return whole(std::move(parts));
  }

 private:
  struct Scaled {
    Structure structure;
    double factor;
    bool is_fitted;
  };

  void take_scaled(bool is_inverse, Structure term) {
    auto [value, is_fitted, rest] = split(std::move(term));
    double factor = is_inverse ? -value : value;
    if (factor == -1.0 && !is_fitted && takes_sign(rest)) {  // -sin(c * x) is sin(c * x)
      rest = call_structure(rest.symbol, times_number(-1.0, std::move(rest.parts[0].structure)));
      factor = 1.0;
    }
    if (rest.symbol == Symbol::Sum && !is_fitted && std::fabs(factor) == 1.0) {
      take(factor < 0.0, std::move(rest));
      return;
    }
    for (Scaled& known : terms_)
      if (n_constants(rest) == 0 && is_same(known.structure, rest)) {
        known.factor += factor, known.is_fitted |= is_fitted;
        return;
      }
    terms_.push_back({std::move(rest), factor, is_fitted});
  }

  // Whether the term is an odd function whose argument has a fitted factor.
  static bool takes_sign(const Structure& term) {
    return term.symbol >= Symbol::Sqrt && term.symbol <= Symbol::Abs &&
           row_of(op_of(term.symbol)).parity == Parity::Odd && has_fitted_factor(term.parts[0].structure);
  }

  static Structure whole(Parts parts) {
    if (parts.empty()) return number_structure(0.0);
    if (std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.is_inverse; })) {
      for (Part& part : parts) part.is_inverse = false;
      Structure sum =
          parts.size() == 1 ? std::move(parts.front().structure) : raw(Symbol::Sum, std::move(parts));
      return times_number(-1.0, std::move(sum));
    }
    if (parts.size() == 1) return std::move(parts.front().structure);
    return raw(Symbol::Sum, std::move(parts));
  }

  std::vector<Scaled> terms_;
  double number_ = 0.0;
  bool has_constant_ = false;
};

}  // namespace

Structure sum_structure(Parts given) {
  Terms terms;
  for (Part& part : given) terms.take(part.is_inverse, std::move(part.structure));
  return terms.made();
}

}  // namespace ddsr

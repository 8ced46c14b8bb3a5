// Finds a shorter expression with the same value.
//
// The result equals the input wherever the input is finite, up to rounding, and may be finite in more places.
// It is never longer, uses only tokens of the vocabulary, and simplifying it again changes nothing. Constants
// are treated as numbers: 1.0 * x becomes x. If signs are given, the result equals the input on rows whose
// variables have them.
#pragma once

#include "expression/formula.hpp"
#include "simplify/algebra.hpp"
#include "simplify/forms.hpp"
#include "simplify/writer.hpp"

namespace ddsr {

// Reuses its memory from one expression to the next. Each thread has its own. The vocabulary must outlive it.
class Simplifier {
 public:
  // One sign per column; empty: any.
  explicit Simplifier(const Vocabulary& vocabulary, std::vector<Sign> signs = {});
  Simplifier(const Simplifier&) = delete;

  // Changes the signs for the following expressions.
  void set_signs(std::vector<Sign> signs);

  Formula simplify(const Formula& formula);

 private:
  // An operator whose operands are not complete yet.
  struct Open {
    TokenId token;
    int first;  // -1 until known
  };

  Formula shortened(const Formula& formula, bool uses_signs);
  int read(const Formula& formula);
  Sign sign_of(const Token& variable) const {
    return uses_signs_ ? signs_[static_cast<std::size_t>(variable.variable)] : Sign::Any;
  }
  int combine(TokenId op, int a, int b);

  const Vocabulary& vocabulary_;
  std::vector<Sign> signs_;
  bool uses_signs_ = false;
  Forms forms_;
  Algebra algebra_;
  Writer writer_;
  std::vector<Open> open_;
};

Formula simplify(const Vocabulary& vocabulary, const Formula& formula);

}  // namespace ddsr

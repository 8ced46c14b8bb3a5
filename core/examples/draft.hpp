// A formula under construction, in prefix order.
#pragma once

#include "expression/formula.hpp"

namespace ddsr {

class Draft {
 public:
  explicit Draft(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  bool has(Op op) const { return vocabulary_.find(op) >= 0; }

  // If the vocabulary lacks the operator, the formula is discarded.
  void put(Op op) {
    const TokenId id = vocabulary_.find(op);
    if (id < 0)
      is_written_ = false;
    else
      formula_.tokens.push_back(id);
  }
  void put(double number) {
    formula_.tokens.push_back(vocabulary_.constant());
    formula_.constants.push_back(number);
  }
  void put(const Formula& part) {
    formula_.tokens.insert(formula_.tokens.end(), part.tokens.begin(), part.tokens.end());
    formula_.constants.insert(formula_.constants.end(), part.constants.begin(), part.constants.end());
  }
  void put_variable(int variable) {
    formula_.tokens.push_back(static_cast<TokenId>(vocabulary_.first_variable() + variable));
  }

  // A position in the draft, from which the tokens can be repeated.
  struct Mark {
    std::size_t token, constant;
  };
  Mark mark() const { return {formula_.tokens.size(), formula_.constants.size()}; }
  Formula since(Mark mark) const {
    return {
        {formula_.tokens.begin() + static_cast<std::ptrdiff_t>(mark.token), formula_.tokens.end()},
        {formula_.constants.begin() + static_cast<std::ptrdiff_t>(mark.constant), formula_.constants.end()}};
  }

  bool is_written() const { return is_written_; }
  const Formula& formula() const { return formula_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  const Vocabulary& vocabulary_;
  Formula formula_;
  bool is_written_ = true;
};

}  // namespace ddsr

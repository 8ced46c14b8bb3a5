// The meaning of token ids: an operator, the literal 1, a fitted constant, or a variable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expression/operators.hpp"
#include "expression/own_operator.hpp"
#include "expression/template.hpp"

namespace ddsr {

using TokenId = std::int16_t;

inline constexpr TokenId PAD = -1;   // fills a row of tokens after the end of its expression
inline constexpr TokenId MASK = -2;  // a position that is still to be filled

enum class Kind : std::uint8_t { Operator, One, Constant, Variable };

struct Token {
  Kind kind;
  Op op;                             // of an operator
  int arity;                         // 0 except for operators; of Op::Template, the number of holes
  int variable;                      // column of X, for a variable
  const OwnOperator* own = nullptr;  // what the vocabulary defines it as; null for one of the table
};

// Ids are in this order: the operators as given, the literal 1, the constant, the variables by column.
class Vocabulary {
 public:
  // The operators include `template` exactly if there is one. `own` has the definitions of the own operators
  // from Op::Own1 on; null for those that are not used.
  Vocabulary(const std::vector<std::string>& operators, bool has_one, bool has_constant, int n_variables,
             std::shared_ptr<const Template> pattern = nullptr, OwnOperators own = {});

  int size() const { return static_cast<int>(tokens_.size()); }
  int n_variables() const { return n_variables_; }
  int n_operators() const { return n_operators_; }
  const Token& operator[](TokenId id) const { return tokens_[static_cast<std::size_t>(id)]; }
  int arity(TokenId id) const { return (*this)[id].arity; }
  bool is_constant(TokenId id) const { return (*this)[id].kind == Kind::Constant; }
  // A leaf without a variable: the literal 1 or a constant.
  bool is_constant_like(TokenId id) const { return id >= 0 && (id == one_ || id == constant_); }
  // A leaf that may be an operator's only operand: a variable, or the literal 1 if the vocabulary has no
  // constant that could replace 1 + 1.
  bool is_free_leaf(TokenId id) const {
    return (*this)[id].kind == Kind::Variable || (id == one_ && constant_ < 0);
  }
  bool holds(TokenId id) const { return id >= 0 && id < size(); }

  // -1 if the vocabulary does not have it.
  TokenId find(Op op) const {
    for (TokenId id = 0; id < n_operators_; ++id)
      if ((*this)[id].op == op) return id;
    return -1;
  }
  const OwnOperator* own(Op op) const { return definition_of(own_, op); }
  TokenId one() const { return one_; }
  // Null if expressions are not restricted to a template.
  const Template* pattern() const { return pattern_.get(); }
  // The columns that may fill a hole of the template; without a template, all.
  std::vector<int> inputs_of(std::size_t hole) const;
  bool is_template(TokenId id) const {
    return (*this)[id].kind == Kind::Operator && (*this)[id].op == Op::Template;
  }
  TokenId constant() const { return constant_; }
  TokenId first_variable() const { return static_cast<TokenId>(size() - n_variables_); }

 private:
  std::vector<Token> tokens_;
  int n_operators_, n_variables_;
  TokenId one_ = -1, constant_ = -1;
  std::shared_ptr<const Template> pattern_;
  OwnOperators own_;
};

}  // namespace ddsr

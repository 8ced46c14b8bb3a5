// Normal forms written with the tokens of a vocabulary, in the shortest way known.
//
// A form is written by its shape, or as the input wrote it where that is no longer: so what no rule shortens
// keeps its look.
#pragma once

#include <cstdint>
#include <vector>

#include "expression/formula.hpp"
#include "simplify/forms.hpp"

namespace ddsr {

// Tokens count first; then constants, those among them that are not whole, and those that are negative.
using Cost = std::int64_t;
inline constexpr Cost NEGATIVE_COST = 1, FRACTION_COST = Cost{1} << 13, CONSTANT_COST = Cost{1} << 26,
                      TOKEN_COST = Cost{1} << 39;  // each more than LONGEST of the one before
inline constexpr Cost UNWRITABLE = Cost{1} << 56;

Cost cost_of(const Formula& formula);

class Writer {
 public:
  Writer(Forms& forms, const Vocabulary& vocabulary);
  // Whether to gather logarithms into one, which the algebra takes apart where signs are known.
  void use_signs(bool uses_signs) { uses_signs_ = uses_signs; }
  void clear() { entries_.clear(); }

  // Finds the costs of the forms added since the last call.
  void measure_new_forms();
  Cost cost(int form);
  // The operator on these operands is another way to write the form.
  void offer(int form, TokenId op, int a, int b);
  Formula write(int form);

 private:
  // A token, with the value of a constant, or a form to be written in its place.
  struct Item {
    TokenId token;
    double value;
    int form;
  };
  struct Entry {
    Cost cost = -1;      // not known yet
    TokenId given = -1;  // the operator of the input's own way, if that is the one to take
    int a = -1, b = -1;
  };

  // Each appends items to the end of `items_`.
  void put_form(int form) { items_.push_back({-1, 0.0, form}); }
  void put_op(Op op);
  void put_number(double value);
  void put_own_way(int form);
  void put_power(int base, double exponent);
  void put_sum(double constant, std::vector<Part> terms);
  void put_term(double factor, int term);
  void put_product(double factor, std::vector<Part> factors);
  void put_factors(double factor, const std::vector<Part>& factors, double sign);
  void put_quotient(double factor, const std::vector<Part>& above, const std::vector<Part>& below);
  bool put_unary_chain(int base, double exponent);

  void gather_powers(std::vector<Part>& factors);
  void gather_terms(double& constant, std::vector<Part>& terms);
  void gather_logarithms(std::vector<Part>& terms);
  void turn_signs(double& factor, std::vector<Part>& factors);
  int negated(int form);

  bool has(Op op) const { return tokens_[static_cast<std::size_t>(op)] >= 0; }
  Cost cost_from(std::size_t begin);
  Entry& entry(int form);
  void measure(int form);

  Forms& forms_;
  bool uses_signs_ = false;
  TokenId tokens_[N_OPERATORS];
  TokenId one_, constant_;
  std::vector<Entry> entries_;
  std::vector<Item> items_, stack_;
};

}  // namespace ddsr

// Writes normal forms with the tokens of a vocabulary, in the shortest known way.
//
// A form is written by its shape, or as in the input unless that is longer. So expressions that no rule
// shortens keep their look.
#pragma once

#include <vector>

#include "expression/formula.hpp"
#include "simplify/cost.hpp"
#include "simplify/forms.hpp"

namespace ddsr {

class Writer {
 public:
  Writer(Forms& forms, const Vocabulary& vocabulary);
  void clear() { entries_.clear(); }

  // Computes the costs of the forms added since the last call.
  void measure_new_forms();
  Cost cost(int form);
  // Offers the operator on these operands as another way to write the form.
  void offer(int form, TokenId op, int a, int b);
  Formula write(int form);

 private:
  // A token, with its value if it is a constant, or a form still to be written.
  struct Item {
    TokenId token;
    double value;
    int form;
    bool is_exponent = false;
  };
  struct Entry {
    Cost cost = -1;      // -1: not known yet
    TokenId given = -1;  // the operator of the input's notation, if that is used
    int a = -1, b = -1;
  };

  // Each appends items to `items_`.
  void put_form(int form) { items_.push_back({-1, 0.0, form}); }
  void put_op(Op op);
  void put_number(double value);
  void put_own_way(int form);
  void put_power(int base, double exponent);
  void put_sum(double constant, std::vector<Part> terms);
  void put_term(double factor, int term);
  void put_product(double factor, std::vector<Part> factors);
  void put_gathered(double factor, std::vector<Part> factors);
  void put_product_as_is(double factor, std::vector<Part> factors);
  void put_factors(double factor, const std::vector<Part>& factors, double sign);
  void put_quotient(double factor, const std::vector<Part>& above, const std::vector<Part>& below);
  bool put_unary_chain(int base, double exponent);

  // Each chooses among ways to group the parts.
  void choose_scales(double& factor, std::vector<Part>& factors);
  void gather_powers(std::vector<Part>& factors);
  void gather_roots(double factor, std::vector<Part>& factors);
  void gather_terms(double& constant, std::vector<Part>& terms);
  void gather_logarithms(std::vector<Part>& terms);
  void turn_signs(double& factor, std::vector<Part>& factors);
  int negated(int form);

  bool has(Op op) const { return tokens_[static_cast<std::size_t>(op)] >= 0; }
  Cost cost_from(std::size_t begin);
  Cost cost_of_product(double factor, const std::vector<Part>& factors);
  Entry& entry(int form);
  void measure(int form);

  Forms& forms_;
  const Vocabulary& vocabulary_;
  bool is_trying_scales_ = false;
  TokenId tokens_[N_OPERATORS];
  TokenId one_, constant_;
  std::vector<Entry> entries_;
  std::vector<Item> items_, stack_;
};

}  // namespace ddsr

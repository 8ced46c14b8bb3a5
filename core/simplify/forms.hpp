// Expressions in normal form: sums of scaled terms over products of powers, each stored once.
//
//   Sum      value + Σ weight · node     of at least one part; no part is a number or a sum
//   Product  Π node ^ weight             weights are the exponents; a lone part has a weight other than 1
//   Call     op(a) or op(a, b)           a function, or an operator that no rule took apart
//
// The parts of a sum and of a product stand in the order of their nodes, which is that of their first
// appearance. Forms are built from the leaves up, so that a form's operands have smaller numbers than it has
// itself, and equal forms have equal numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

enum class Shape : std::uint8_t { Number, Variable, Sum, Product, Call };

// What is known of a variable on all relevant rows.
enum class Sign : std::uint8_t { Any, Nonnegative, Positive };

struct Part {
  double weight;
  int node;
  bool operator==(const Part&) const = default;
};

struct Form {
  Shape shape;
  Op op = Op::Add;                                   // of a call
  bool is_nonnegative = false, is_positive = false;  // wherever it is finite
  double value = 0.0;                                // of a number; the constant of a sum
  int a = -1, b = -1;                                // operands of a call; a: the token of a variable
  int begin = 0, count = 0;                          // the parts
};

inline bool is_whole(double value) { return value == std::trunc(value); }
inline bool is_even(double value) { return is_whole(value / 2.0); }
// Outside these bounds a double has fewer digits, or the next operation may overflow.
inline bool keeps_digits(double value) {
  const double size = value < 0.0 ? -value : value;
  return size >= 1e-290 && size <= 1e290;
}

class Forms {
 public:
  void clear();

  int number(double value);
  int variable(TokenId token, Sign sign);
  int call(Op op, int a, int b = -1);
  // `parts` are sorted by node and have no weight 0. Trivial forms are reduced: 0 + 1·x to x.
  int sum(double value, std::span<const Part> parts);
  int product(std::span<const Part> parts);

  const Form& operator[](int id) const { return forms_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(forms_.size()); }
  // Invalid after the next form is added.
  std::span<const Part> parts(int id) const {
    const Form& form = (*this)[id];
    return std::span(parts_).subspan(static_cast<std::size_t>(form.begin),
                                     static_cast<std::size_t>(form.count));
  }

  bool is_number(int id) const { return (*this)[id].shape == Shape::Number; }
  bool is_number(int id, double value) const { return is_number(id) && (*this)[id].value == value; }
  bool is_call(int id, Op op) const { return (*this)[id].shape == Shape::Call && (*this)[id].op == op; }
  // Finite and above 0 on every row. No computed form can guarantee this.
  bool is_positive_variable(int id) const {
    return (*this)[id].shape == Shape::Variable && (*this)[id].is_positive;
  }
  // A sum of several terms, one of which may be the constant.
  bool is_compound_sum(int id) const {
    return (*this)[id].shape == Shape::Sum && ((*this)[id].count > 1 || (*this)[id].value != 0.0);
  }

 private:
  int find_or_add(Form form, std::span<const Part> parts);
  bool is_same(int id, const Form& form, std::span<const Part> parts) const;
  void set_signs(Form& form, std::span<const Part> parts) const;
  void grow_table();

  std::vector<Form> forms_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Part> parts_;
  std::vector<int> table_;  // hash table with open addressing; -1: free
};

}  // namespace ddsr

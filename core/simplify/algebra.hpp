// The rules: what each operator gives for operands in normal form.
//
// Every rule keeps the value wherever its left side is finite. The right side may be finite in more places
// (x/x is 1 at 0 too), never in fewer. If signs of variables are known, this holds for rows with these signs.
#pragma once

#include <span>
#include <vector>

#include "simplify/forms.hpp"

namespace ddsr {

class Algebra {
 public:
  // A rule that ends in cos or abs applies only if the vocabulary has it.
  Algebra(Forms& forms, const Vocabulary& vocabulary);

  // Whether to apply the rules that only help if signs of variables are known.
  void use_signs(bool uses_signs) { uses_signs_ = uses_signs; }

  // The normal form of op(a, b); b is -1 if the operator takes one operand.
  int apply(Op op, int a, int b);

  // Whether the last `apply` gave a form that is finite in more places than the operator on its operands.
  bool domain_grew() const { return domain_grew_; }

 private:
  // factor * node
  struct Scaled {
    double factor;
    int node;
  };

  int normalized(Op op, int a, int b);

  // sums.cpp
  int add(int a, int b);
  int scale(double factor, int a);
  Scaled split(int a, bool may_be_negative) const;
  Scaled split_and_store(int a, bool may_be_negative);

  // products.cpp
  int multiply(int a, int b);
  int power(int base, double exponent);
  int power_of_product(int base, double exponent);
  int power_of_powers(int base, double exponent);
  void merge_factors(int a, int b, std::vector<Part>& factors, std::vector<int>& rest);
  void merge_exponentials(std::vector<Part>& factors, std::vector<int>& rest);
  void drop_redundant_scales(double& factor, std::vector<Part>& factors);

  // absorption.cpp
  void absorb_variables(std::vector<Part>& factors, std::vector<int>& rest);
  bool is_shorter_inside(const Part& sum, const Part& variable) const;
  int multiplied_through(int sum, int factor);

  // functions.cpp
  int general_power(int base, int exponent);
  int exponential(int a);
  int power_from_logarithm(const Part& term);
  int logarithm(int a);
  int logarithm_of_product(int a);
  int absolute(int a);
  int periodic(Op op, int a);
  int odd_or_even(Op op, int a);
  int function(Op op, int a);
  int function_of_two(Op op, int a, int b);
  int branch(Op op, int a);

  // Arithmetic of constants. A rule fails if the result leaves the range with full precision.
  double checked(double value);
  double product_of(double left, double right);
  double sum_of(double left, double right);
  double power_of(double base, double exponent);

  std::vector<Part> copy_of_parts(int id) const;
  // As a sum: the constant and the scaled terms.
  std::vector<Part> terms_of(int id, double& constant) const;
  std::vector<Part> factors_of(int id) const;

  Forms& forms_;
  bool uses_signs_ = false;
  bool has_cos_ = false, has_sin_ = false, has_abs_ = false;
  bool domain_grew_ = false, has_failed_ = false;
};

}  // namespace ddsr

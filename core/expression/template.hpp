// The fixed part of all expressions of a search: a formula with holes, which the search fills.
//
// A filled template is an expression whose root is the token `template`, with one operand for each hole. A
// constant of the template is a hole that only a constant fills, so it is fitted like any other. `compile`
// (engine/program.hpp) puts the operands in their places: every use of a hole evaluates the same operand, on
// other columns if the template says so.
#pragma once

#include <vector>

#include "expression/operators.hpp"

namespace ddsr {

struct Template {
  enum class Part : std::uint8_t { Operator, Number, Variable, Hole };

  // One node of the formula. Its operands follow it in prefix order.
  struct Node {
    Part part;
    Op op = Op::Add;           // of an operator
    double value = 1.0;        // of a number, which is never fitted
    int index = -1;            // the column of a variable, or the number of a hole
    std::vector<int> columns;  // of a hole: the column read here for each of its inputs
  };

  struct Hole {
    bool is_constant;         // only a constant fills it
    std::vector<int> inputs;  // the columns that its expressions may use
  };

  std::vector<Node> nodes;  // prefix order
  std::vector<Hole> holes;  // constants first
};

}  // namespace ddsr

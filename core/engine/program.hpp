// A token sequence prepared for evaluation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

struct Node {
  Kind kind;
  Op op;
  int a = -1, b = -1;  // operands; -1 for none
  int index = -1;      // column of a variable, number of a constant or, from n_constants on, of a number
  int slot = -1;       // buffer if only values are needed, shared with other operators
  const OwnOperator* own = nullptr;  // the definition of an operator that is not in the table
  bool is_fitted = false;            // depends on a constant that fitting may change
};

// Nodes are in breadth-first order, so operands come after their operator: values are computed from the last
// node to the first, derivatives from the first to the last.
struct Program {
  std::vector<Node> nodes;
  int n_constants = 0;
  std::vector<double> numbers;  // of the template
  int n_slots = 0;
  bool shares_constants = false;  // whether several nodes have the same constant
  // For a filled template: each token's first node and its number of nodes. Otherwise empty, since node i is
  // that of token i.
  std::vector<int> node_of, n_nodes_of;
};

// `tokens` must be one complete expression (see find_flaw). `is_fixed` marks the constants that fitting must
// not change; empty: none. A filled template (expression/template.hpp) becomes the formula that it stands
// for.
Program compile(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                std::span<const std::uint8_t> is_fixed = {});

// A definition as a program, whose variables are the operands of the operator. Throws std::invalid_argument
// if the nodes are not a complete formula of at most `n_operands` operands.
Program compile_definition(std::span<const Template::Node> nodes, int n_operands, const OwnOperators& known);

}  // namespace ddsr

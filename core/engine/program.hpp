// A token sequence made ready for evaluation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace ddsr {

struct Node {
  Kind kind;
  Op op;
  int a = -1, b = -1;      // operands; -1 for none
  int index = -1;          // column of a variable, number of a constant
  int slot = -1;           // buffer that serves while nothing but values is wanted; shared over time
  bool is_fitted = false;  // depends on a constant that fitting may change
};

// Nodes stand in breadth-first order, so operands come after their operator: values are computed from the
// last node to the first, derivatives from the first to the last.
struct Program {
  std::vector<Node> nodes;
  int n_constants = 0;
  int n_slots = 0;
};

// `tokens` must be one complete expression (find_flaw). `is_fixed` tells for each constant whether fitting
// must leave it alone; empty: none of them.
Program compile(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                std::span<const std::uint8_t> is_fixed = {});

}  // namespace ddsr

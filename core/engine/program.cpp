#include "engine/program.hpp"

#include "expression/tree.hpp"

namespace ddsr {

namespace {

// Assigns a buffer to every operator, from when it is computed until its parent has used it. Leaves have
// their values elsewhere: variables in the data, constants in memory of their own.
void assign_slots(Program& program) {
  std::vector<int> free_slots;
  auto release = [&](int child) {
    if (child >= 0 && program.nodes[static_cast<std::size_t>(child)].kind == Kind::Operator)
      free_slots.push_back(program.nodes[static_cast<std::size_t>(child)].slot);
  };
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    if (node->kind != Kind::Operator) continue;
    if (free_slots.empty()) free_slots.push_back(program.n_slots++);
    node->slot = free_slots.back();
    free_slots.pop_back();
    release(node->a);
    release(node->b);
  }
}

}  // namespace

Program compile(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                std::span<const std::uint8_t> is_fixed) {
  Program program;
  program.nodes.reserve(tokens.size());
  int next_child = 1;
  for (const TokenId id : tokens) {
    const Token& token = vocabulary[id];
    Node node{token.kind, token.op};
    if (token.arity > 0) node.a = next_child++;
    if (token.arity > 1) node.b = next_child++;
    if (token.kind == Kind::Variable) node.index = token.variable;
    if (token.kind == Kind::Constant) node.index = program.n_constants++;
    program.nodes.push_back(node);
  }
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    auto fitted = [&](int child) {
      return child >= 0 && program.nodes[static_cast<std::size_t>(child)].is_fitted;
    };
    const bool is_free_constant = node->kind == Kind::Constant &&
                                  (is_fixed.empty() || is_fixed[static_cast<std::size_t>(node->index)] == 0);
    node->is_fitted = is_free_constant || fitted(node->a) || fitted(node->b);
  }
  assign_slots(program);
  return program;
}

}  // namespace ddsr

#include "engine/program.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "expression/tree.hpp"

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Assigns a buffer to every operator, from when it is computed until its parent has used it. Leaves have
// their values elsewhere: variables in the data, constants in memory of their own.
void assign_slots(Program& program) {
  std::vector<int> free_slots;
  auto release = [&](int child) {
    if (child >= 0 && program.nodes[at(child)].kind == Kind::Operator)
      free_slots.push_back(program.nodes[at(child)].slot);
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

void mark_fitted(Program& program, std::span<const std::uint8_t> is_fixed) {
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    auto fitted = [&](int child) { return child >= 0 && program.nodes[at(child)].is_fitted; };
    const bool is_free_constant = node->kind == Kind::Constant && node->index < program.n_constants &&
                                  (is_fixed.empty() || is_fixed[at(node->index)] == 0);
    node->is_fitted = is_free_constant || fitted(node->a) || fitted(node->b);
  }
}

Node node_of(const Token& token) {
  Node node{token.kind, token.op};
  if (token.kind == Kind::Variable) node.index = token.variable;
  node.own = token.own;
  return node;
}

// The nodes of an expression without a template.
Program plain(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  Program program;
  program.nodes.reserve(tokens.size());
  int next_child = 1;
  for (const TokenId id : tokens) {
    const Token& token = vocabulary[id];
    Node node = node_of(token);
    if (token.arity > 0) node.a = next_child++;
    if (token.arity > 1) node.b = next_child++;
    if (token.kind == Kind::Constant) node.index = program.n_constants++;
    program.nodes.push_back(node);
  }
  return program;
}

// The nodes of a filled template. They wait for their turn in breadth-first order, each a node of the
// template or a token of an operand that fills a hole.
class Filling {
 public:
  Filling(const Vocabulary& vocabulary, std::span<const TokenId> tokens)
      : pattern_(*vocabulary.pattern()),
        vocabulary_(vocabulary),
        tokens_(tokens),
        first_children_(first_children(vocabulary, tokens)),
        ends_(pattern_.nodes.size()) {
    program_.node_of.assign(tokens.size(), 0);
    program_.n_nodes_of.assign(tokens.size(), 0);
    for (const TokenId id : tokens)
      constants_.push_back(vocabulary.is_constant(id) ? program_.n_constants++ : -1);
    for (std::size_t i = ends_.size(); i-- > 0;) {
      ends_[i] = static_cast<int>(i) + 1;
      for (int k = 0; k < arity_of(pattern_.nodes[i]); ++k) ends_[i] = ends_[at(ends_[i])];
    }
  }

  Program made() {
    for (waiting_.push_back({0, nullptr}); !waiting_.empty(); waiting_.pop_front()) {
      const Waiting next = waiting_.front();
      const Template::Node* node = next.use == nullptr ? &pattern_.nodes[at(next.index)] : nullptr;
      if (node == nullptr)
        append_token(next);
      else if (node->part == Template::Part::Hole)
        append_token({1 + node->index, node});
      else
        append(*node, next.index);
    }
    return std::move(program_);
  }

 private:
  struct Waiting {
    int index;                  // of a node of the template or, for a use of a hole, of a token
    const Template::Node* use;  // null for a node of the template
  };

  static int arity_of(const Template::Node& node) {
    return node.part == Template::Part::Operator ? row_of(node.op).arity : 0;
  }

  int await(int index, const Template::Node* use) {
    waiting_.push_back({index, use});
    return n_awaited_++;
  }

  void append(const Template::Node& node, int index) {
    Node result{Kind::Operator, node.op};
    if (node.part == Template::Part::Variable) result = {Kind::Variable, Op::Add, -1, -1, node.index};
    if (node.part == Template::Part::Number) {
      const int number = program_.n_constants + static_cast<int>(program_.numbers.size());
      result = {Kind::Constant, Op::Add, -1, -1, number};
      program_.numbers.push_back(node.value);
    }
    if (node.part == Template::Part::Operator) result.own = vocabulary_.own(node.op);
    const int arity = arity_of(node);
    if (arity > 0) result.a = await(index + 1, nullptr);
    if (arity > 1) result.b = await(ends_[at(index + 1)], nullptr);
    program_.nodes.push_back(result);
  }

  void append_token(const Waiting& next) {
    const Token& token = vocabulary_[tokens_[at(next.index)]];
    Node result = node_of(token);
    if (program_.n_nodes_of[at(next.index)]++ == 0)
      program_.node_of[at(next.index)] = static_cast<int>(program_.nodes.size());
    else if (token.kind == Kind::Constant)
      program_.shares_constants = true;
    if (token.kind == Kind::Variable) result.index = column_of(token.variable, *next.use);
    if (token.kind == Kind::Constant) result.index = constants_[at(next.index)];
    if (token.arity > 0) result.a = await(first_children_[at(next.index)], next.use);
    if (token.arity > 1) result.b = await(first_children_[at(next.index)] + 1, next.use);
    program_.nodes.push_back(result);
  }

  int column_of(int variable, const Template::Node& use) const {
    const std::vector<int>& inputs = pattern_.holes[at(use.index)].inputs;
    const auto found = std::ranges::find(inputs, variable);
    return found == inputs.end() ? variable : use.columns[at(static_cast<int>(found - inputs.begin()))];
  }

  const Template& pattern_;
  const Vocabulary& vocabulary_;
  std::span<const TokenId> tokens_;
  const std::vector<int> first_children_;
  std::vector<int> ends_;       // of the subtree at each node of the template
  std::vector<int> constants_;  // the number of each token that is a constant
  std::deque<Waiting> waiting_;
  int n_awaited_ = 1;
  Program program_;
};

}  // namespace

Program compile(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                std::span<const std::uint8_t> is_fixed) {
  Program program =
      vocabulary.is_template(tokens[0]) ? Filling(vocabulary, tokens).made() : plain(vocabulary, tokens);
  mark_fitted(program, is_fixed);
  assign_slots(program);
  return program;
}

Program compile_definition(std::span<const Template::Node> nodes, int n_operands, const OwnOperators& known) {
  using Part = Template::Part;
  Program program;
  std::vector<int> waiting;  // operators with operands still to come, the innermost last
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && waiting.empty()) throw std::invalid_argument("a definition has more than one formula");
    const Template::Node& given = nodes[i];
    Node node{Kind::Operator, given.op};
    if (given.part == Part::Variable) node = {Kind::Variable, Op::Add, -1, -1, given.index};
    if (given.part == Part::Number) {
      node = {Kind::Constant, Op::Add, -1, -1, static_cast<int>(program.numbers.size())};
      program.numbers.push_back(given.value);
    }
    const bool is_operator = given.part == Part::Operator;
    if (is_operator) node.own = definition_of(known, given.op);
    const bool is_undefined = is_operator && is_own(given.op) && node.own == nullptr;
    const bool is_outside = given.part == Part::Variable && (given.index < 0 || given.index >= n_operands);
    if (given.part == Part::Hole || (is_operator && given.op == Op::Template) || is_undefined || is_outside)
      throw std::invalid_argument("a definition has a part without a meaning");
    if (!waiting.empty()) {
      Node& above = program.nodes[at(waiting.back())];
      (above.a < 0 ? above.a : above.b) = static_cast<int>(i);
      if (row_of(above.op).arity == 1 || above.b >= 0) waiting.pop_back();
    }
    program.nodes.push_back(node);
    if (is_operator) waiting.push_back(static_cast<int>(i));
  }
  if (nodes.empty() || !waiting.empty()) throw std::invalid_argument("a definition is not complete");
  assign_slots(program);
  return program;
}

}  // namespace ddsr

#include "expression/vocabulary.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ddsr {

namespace {

// Whether the nodes are one tree whose columns and holes exist, so that nothing is read out of range later.
bool is_complete(const Template& pattern, int n_variables, const OwnOperators& own) {
  auto has_columns = [&](const std::vector<int>& columns) {
    return std::ranges::all_of(columns, [&](int column) { return 0 <= column && column < n_variables; });
  };
  const auto n_holes = static_cast<int>(pattern.holes.size());
  std::vector<bool> is_used(pattern.holes.size());
  int open = 1;
  for (const Template::Node& node : pattern.nodes) {
    if (open == 0) return false;
    open += (node.part == Template::Part::Operator ? row_of(node.op).arity : 0) - 1;
    if (node.part == Template::Part::Operator && node.op == Op::Template) return false;
    const bool is_defined = !is_own(node.op) || definition_of(own, node.op) != nullptr;
    if (node.part == Template::Part::Operator && !is_defined) return false;
    if (node.part == Template::Part::Variable && !has_columns({node.index})) return false;
    if (node.part != Template::Part::Hole) continue;
    if (node.index < 0 || node.index >= n_holes || !has_columns(node.columns)) return false;
    if (node.columns.size() != pattern.holes[static_cast<std::size_t>(node.index)].inputs.size())
      return false;
    is_used[static_cast<std::size_t>(node.index)] = true;
  }
  return open == 0 && n_holes > 0 && std::ranges::find(is_used, false) == is_used.end() &&
         std::ranges::all_of(pattern.holes, [&](const auto& hole) { return has_columns(hole.inputs); });
}

}  // namespace

Vocabulary::Vocabulary(const std::vector<std::string>& operators, bool has_one, bool has_constant,
                       int n_variables, std::shared_ptr<const Template> pattern, OwnOperators own)
    : n_operators_(static_cast<int>(operators.size())),
      n_variables_(n_variables),
      pattern_(std::move(pattern)),
      own_(std::move(own)) {
  for (const auto& name : operators) {
    int index = 0;
    while (index < N_OPERATORS && OPERATORS[index].name != name) ++index;
    if (index == N_OPERATORS) throw std::invalid_argument("unknown operator '" + name + "'");
    const auto op = static_cast<Op>(index);
    if (op == Op::Template && pattern_ == nullptr) throw std::invalid_argument("there is no template");
    const int arity = op == Op::Template ? static_cast<int>(pattern_->holes.size()) : OPERATORS[index].arity;
    if (is_own(op) && this->own(op) == nullptr)
      throw std::invalid_argument("operator '" + name + "' is not defined");
    tokens_.push_back({Kind::Operator, op, arity, -1, this->own(op)});
  }
  auto add = [&](Kind kind, int variable) {
    tokens_.push_back({kind, Op::Add, 0, variable});
    return static_cast<TokenId>(tokens_.size() - 1);
  };
  if (has_one) one_ = add(Kind::One, -1);
  if (has_constant) constant_ = add(Kind::Constant, -1);
  for (int column = 0; column < n_variables; ++column) add(Kind::Variable, column);
  if (tokens_.size() > static_cast<std::size_t>(std::numeric_limits<TokenId>::max()))
    throw std::invalid_argument("a vocabulary holds at most 32767 tokens");
  if (pattern_ != nullptr) {
    if (find(Op::Template) < 0) throw std::invalid_argument("the operators do not include the template");
    if (!is_complete(*pattern_, n_variables, own_))
      throw std::invalid_argument("the template is not complete");
  }
}

std::vector<int> Vocabulary::inputs_of(std::size_t hole) const {
  if (pattern_ != nullptr) return pattern_->holes[hole].inputs;
  std::vector<int> columns(static_cast<std::size_t>(n_variables_));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

}  // namespace ddsr

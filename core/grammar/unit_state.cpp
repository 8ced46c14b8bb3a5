#include "grammar/unit_state.hpp"

#include <algorithm>

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

UnitState::UnitState(const UnitTables& tables, int max_length)
    : tables_(tables), max_length_(max_length), nodes_(at(max_length) + 2) {
  clear();
}

void UnitState::clear() {
  length_ = 0;
  is_current_ = false;
  nodes_[0] = Node{};
  nodes_[0].open = &tables_.slot(NestingContexts::ROOT, PAD);
}

void UnitState::place(TokenId id, int arity, int first_operand, int context) {
  Node& node = nodes_[at(length_)];
  node.id = id, node.arity = arity, node.first_operand = first_operand, node.open = nullptr;
  for (int operand = 0; operand < arity; ++operand) {
    Node& below = nodes_[at(first_operand + operand)];
    below.parent = length_, below.is_first = operand == 0, below.arity = 0, below.size = 1;
    below.open = &tables_.slot(context, id);
  }
  for (int above = length_; above >= 0; above = nodes_[at(above)].parent) nodes_[at(above)].size += arity;
  if (arity == 0) {
    node.inside.assign(at(tables_.n_units()), UnitTables::NEVER);
    node.inside[at(tables_.of_leaf(id))] = 1;
  } else {
    update(length_);
  }
  for (int above = node.parent; above >= 0; above = nodes_[at(above)].parent) update(above);
  ++length_;
  is_current_ = false;
}

const UnitState::Costs& UnitState::inside(int node) const {
  const Node& it = nodes_[at(node)];
  return it.open != nullptr ? *it.open : it.inside;
}

void UnitState::update(int node) {
  Node& it = nodes_[at(node)];
  it.inside = tables_.combined(it.id, &inside(it.first_operand),
                               it.arity == 2 ? &inside(it.first_operand + 1) : nullptr, limit(node));
}

// From the root down to the next slot.
UnitState::Costs UnitState::outside_of_next() const {
  std::vector<int> path;
  for (int node = length_; node >= 0; node = nodes_[at(node)].parent) path.push_back(node);
  Costs outside(at(tables_.n_units()), UnitTables::NEVER);
  outside[at(tables_.target())] = 0;
  for (std::size_t step = path.size() - 1; step-- > 0;) {
    const Node& above = nodes_[at(path[step + 1])];
    const bool is_first = nodes_[at(path[step])].is_first;
    const Costs* other = above.arity < 2 ? nullptr : &inside(above.first_operand + (is_first ? 1 : 0));
    const int most = max_length_ - nodes_[at(path[step])].size;
    outside = tables_.outside(above.id, is_first, outside, other, most);
  }
  return outside;
}

bool UnitState::allows(TokenId id, int context) const {
  if (!is_current_) outside_ = outside_of_next(), is_current_ = true;
  const Costs& own = tables_.token(context, id);
  for (std::size_t unit = 0; unit < own.size(); ++unit)
    if (outside_[unit] + own[unit] <= max_length_) return true;
  return false;
}

void UnitState::restrict(Word* legal, int n_words, int context) const {
  for_each_token(legal, n_words, [&](TokenId id) {
    if (!allows(id, context)) remove(legal, id);
  });
}

}  // namespace ddsr

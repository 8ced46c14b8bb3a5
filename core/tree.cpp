#include "tree.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>

namespace ddsr {

int length_of(std::span<const TokenId> row) {
  return static_cast<int>(std::find(row.begin(), row.end(), PAD) - row.begin());
}

Flaw find_flaw(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  if (tokens.empty()) return {0, "there is no token"};
  int open = 1;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const TokenId id = tokens[static_cast<std::size_t>(i)];
    if (!vocabulary.holds(id))
      return {i, "token " + std::to_string(id) + " is not in the vocabulary of " +
                     std::to_string(vocabulary.size())};
    if (open == 0) return {i, "tokens follow a complete expression"};
    open += vocabulary.arity(id) - 1;
  }
  if (open > 0)
    return {static_cast<int>(tokens.size()), std::to_string(open) + " operand(s) are missing at the end"};
  return {};
}

std::vector<int> first_children(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first) {
  std::vector<int> first(breadth_first.size());
  int next = 1;
  for (std::size_t i = 0; i < breadth_first.size(); ++i) {
    first[i] = next;
    next += vocabulary.arity(breadth_first[i]);
  }
  return first;
}

std::vector<int> prefix_from_breadth_first(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  const auto first = first_children(vocabulary, tokens);
  std::vector<int> order, pending{0};
  order.reserve(tokens.size());
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    order.push_back(node);
    const auto at = static_cast<std::size_t>(node);
    for (int k = vocabulary.arity(tokens[at]) - 1; k >= 0; --k) pending.push_back(first[at] + k);
  }
  return order;
}

namespace {

// Children of each node of a prefix sequence, in order.
std::vector<std::vector<int>> prefix_children(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  std::vector<std::vector<int>> children(tokens.size());
  std::vector<int> roots;  // of the subtrees read so far, the leftmost on top
  for (int i = static_cast<int>(tokens.size()) - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    for (int k = 0; k < vocabulary.arity(tokens[at]); ++k) {
      children[at].push_back(roots.back());
      roots.pop_back();
    }
    roots.push_back(i);
  }
  return children;
}

}  // namespace

std::vector<int> breadth_first_from_prefix(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  const auto children = prefix_children(vocabulary, tokens);
  std::vector<int> order{0};
  order.reserve(tokens.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (int child : children[static_cast<std::size_t>(order[i])]) order.push_back(child);
  return order;
}

namespace {

// A subtree in canonical prefix order: its tokens and where each came from.
struct Part {
  std::vector<TokenId> tokens;
  std::vector<int> order;

  void append(const Part& other) {
    tokens.insert(tokens.end(), other.tokens.begin(), other.tokens.end());
    order.insert(order.end(), other.order.begin(), other.order.end());
  }
};

bool comes_before(const Part& left, const Part& right) {
  if (left.tokens.size() != right.tokens.size()) return left.tokens.size() < right.tokens.size();
  return left.tokens < right.tokens;
}

class Canonicalizer {
 public:
  Canonicalizer(const Vocabulary& vocabulary, std::span<const TokenId> tokens)
      : vocabulary_(vocabulary), tokens_(tokens), first_(first_children(vocabulary, tokens)) {}

  Part part(int node) const {
    const TokenId id = at(node);
    Part result{{id}, {node}};
    if (is_chain(id)) {
      std::vector<int> links;  // the nodes of the chain, itself first
      std::vector<Part> operands;
      gather(node, id, links, operands);
      std::stable_sort(operands.begin(), operands.end(), comes_before);
      // ((o1 * o2) * o3): in prefix order all operators of the chain come first
      result = {std::vector<TokenId>(links.size(), id), links};
      for (const Part& operand : operands) result.append(operand);
    } else {
      for (int k = 0; k < vocabulary_.arity(id); ++k) result.append(part(child(node, k)));
    }
    return result;
  }

 private:
  TokenId at(int node) const { return tokens_[static_cast<std::size_t>(node)]; }
  int child(int node, int k) const { return first_[static_cast<std::size_t>(node)] + k; }

  bool is_chain(TokenId id) const {
    const Token& token = vocabulary_[id];
    return token.kind == Kind::Operator && row_of(token.op).is_commutative;
  }

  void gather(int node, TokenId id, std::vector<int>& links, std::vector<Part>& operands) const {
    links.push_back(node);
    for (int k = 0; k < vocabulary_.arity(id); ++k) {
      if (at(child(node, k)) == id)
        gather(child(node, k), id, links, operands);
      else
        operands.push_back(part(child(node, k)));
    }
  }

  const Vocabulary& vocabulary_;
  std::span<const TokenId> tokens_;
  std::vector<int> first_;
};

}  // namespace

Canonical canonical_form(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first) {
  const Part prefix = Canonicalizer(vocabulary, breadth_first).part(0);
  Canonical canonical;
  for (int k : breadth_first_from_prefix(vocabulary, prefix.tokens)) {
    canonical.tokens.push_back(prefix.tokens[static_cast<std::size_t>(k)]);
    canonical.order.push_back(prefix.order[static_cast<std::size_t>(k)]);
  }
  return canonical;
}

}  // namespace ddsr

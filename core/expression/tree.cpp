#include "expression/tree.hpp"

#include <algorithm>
#include <cstddef>

namespace ddsr {

namespace {
std::size_t at(int index) { return static_cast<std::size_t>(index); }
}  // namespace

int length_of(std::span<const TokenId> row) {
  return static_cast<int>(std::find(row.begin(), row.end(), PAD) - row.begin());
}

Flaw find_flaw(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  if (tokens.empty()) return {0, "there is no token"};
  int open = 1;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const TokenId id = tokens[at(i)];
    if (!vocabulary.holds(id))
      return {i, "token " + std::to_string(id) + " is not in the vocabulary of " +
                     std::to_string(vocabulary.size())};
    if (open == 0) return {i, "tokens follow a complete expression"};
    if (i > 0 && vocabulary.is_template(id)) return {i, "the template may only stand at the root"};
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
    for (int k = vocabulary.arity(tokens[at(node)]) - 1; k >= 0; --k) pending.push_back(first[at(node)] + k);
  }
  return order;
}

// In prefix order a node's first operand follows it directly, and its second comes after the whole first one.
std::vector<int> breadth_first_from_prefix(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  std::vector<int> sizes(tokens.size());  // of the subtree at each token
  for (std::size_t i = tokens.size(); i-- > 0;) {
    sizes[i] = 1;
    for (int k = 0; k < vocabulary.arity(tokens[i]); ++k) sizes[i] += sizes[i + at(sizes[i])];
  }
  std::vector<int> order{0};
  order.reserve(tokens.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    int child = order[i] + 1;
    for (int k = 0; k < vocabulary.arity(tokens[at(order[i])]); ++k) {
      order.push_back(child);
      child += sizes[at(child)];
    }
  }
  return order;
}

namespace {

// Brings every subtree into canonical prefix order, smaller ones first. Each is a range of one shared array
// that holds the node at each place.
class Canonicalizer {
 public:
  Canonicalizer(const Vocabulary& vocabulary, std::span<const TokenId> tokens)
      : vocabulary_(vocabulary),
        tokens_(tokens),
        first_(first_children(vocabulary, tokens)),
        parts_(tokens.size()) {
    places_.reserve(4 * tokens.size());
    for (int node = static_cast<int>(tokens.size()) - 1; node >= 0; --node) arrange(node);
  }

  std::span<const int> root() const { return part(0); }

 private:
  struct Part {
    int begin = 0, size = 0;
  };

  TokenId token(int node) const { return tokens_[at(node)]; }
  int child(int node, int k) const { return first_[at(node)] + k; }
  std::span<const int> part(int node) const {
    return std::span(places_).subspan(at(parts_[at(node)].begin), at(parts_[at(node)].size));
  }

  bool is_chain(TokenId id) const {
    return vocabulary_[id].kind == Kind::Operator && row_of(vocabulary_[id].op).is_commutative;
  }

  void arrange(int node) {
    links_.assign(1, node);
    operands_.clear();
    if (is_chain(token(node)))
      arrange_chain(node);
    else
      for (int k = 0; k < vocabulary_.arity(token(node)); ++k) operands_.push_back(child(node, k));
    const int begin = static_cast<int>(places_.size());
    places_.insert(places_.end(), links_.begin(), links_.end());
    for (const int operand : operands_)
      for (int i = 0; i < parts_[at(operand)].size; ++i)
        places_.push_back(places_[at(parts_[at(operand)].begin + i)]);
    parts_[at(node)] = {begin, static_cast<int>(places_.size()) - begin};
  }

  // Collects ((o1 * o2) * o3), where in prefix order all operators of the chain come first.
  void arrange_chain(int node) {
    links_.clear();
    pending_.assign(1, node);
    while (!pending_.empty()) {  // from left to right, so that equal operands keep their order
      const int next = pending_.back();
      pending_.pop_back();
      if (token(next) == token(node)) {
        links_.push_back(next);
        pending_.insert(pending_.end(), {child(next, 1), child(next, 0)});
      } else {
        operands_.push_back(next);
      }
    }
    std::stable_sort(operands_.begin(), operands_.end(),
                     [&](int left, int right) { return comes_before(part(left), part(right)); });
  }

  bool comes_before(std::span<const int> left, std::span<const int> right) const {
    if (left.size() != right.size()) return left.size() < right.size();
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                        [&](int a, int b) { return token(a) < token(b); });
  }

  const Vocabulary& vocabulary_;
  std::span<const TokenId> tokens_;
  std::vector<int> first_, places_, links_, operands_, pending_;
  std::vector<Part> parts_;
};

}  // namespace

Canonical canonical_form(const Vocabulary& vocabulary, std::span<const TokenId> breadth_first) {
  const Canonicalizer canonicalizer(vocabulary, breadth_first);
  const std::span<const int> prefix = canonicalizer.root();
  std::vector<TokenId> prefix_tokens;
  for (const int node : prefix) prefix_tokens.push_back(breadth_first[at(node)]);
  Canonical canonical;
  for (const int place : breadth_first_from_prefix(vocabulary, prefix_tokens)) {
    canonical.tokens.push_back(prefix_tokens[at(place)]);
    canonical.order.push_back(prefix[at(place)]);
  }
  return canonical;
}

}  // namespace ddsr

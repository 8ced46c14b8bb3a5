#include "examples/signature.hpp"

#include <vector>

#include "expression/tree.hpp"

namespace ddsr {

namespace {

constexpr int ROUNDS = 4;

// The finaliser of SplitMix64: every bit of the result depends on every input bit.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

std::uint64_t pair(std::uint64_t first, std::uint64_t second) { return mixed(mixed(first) ^ (second * 3)); }

// Hashes of all subtrees and of their surroundings. Operands of + and * (of whole chains) are added up, so
// that their order does not matter.
class Hashes {
 public:
  Hashes(const Vocabulary& vocabulary, std::span<const TokenId> tokens)
      : vocabulary_(vocabulary),
        tokens_(tokens),
        first_(first_children(vocabulary, tokens)),
        below_(tokens.size()),
        around_(tokens.size()),
        colours_(static_cast<std::size_t>(vocabulary.n_variables()), 1) {}

  std::uint64_t signature() {
    for (int round = 0; round < ROUNDS; ++round) {
      hash_subtrees();
      hash_surroundings();
      recolour();
    }
    hash_subtrees();
    return finished(0);
  }

 private:
  bool is_chain(std::size_t node) const {
    const Token& token = vocabulary_[tokens_[node]];
    return token.kind == Kind::Operator && row_of(token.op).is_commutative;
  }
  // The hash of a chain is the sum over its operands until the chain is complete.
  std::uint64_t finished(std::size_t node) const {
    const auto id = static_cast<std::uint64_t>(tokens_[node]);
    return is_chain(node) ? pair(id + 7, below_[node]) : below_[node];
  }
  // The contribution of an operand to the chain above it.
  std::uint64_t share(std::size_t chain, std::size_t operand) const {
    return tokens_[operand] == tokens_[chain] ? below_[operand] : mixed(finished(operand));
  }

  void hash_subtrees() {
    for (std::size_t node = tokens_.size(); node-- > 0;) {
      const Token& token = vocabulary_[tokens_[node]];
      const auto child = static_cast<std::size_t>(first_[node]);
      if (token.kind == Kind::Variable)
        below_[node] = pair(3, colours_[static_cast<std::size_t>(token.variable)]);
      else if (token.arity == 0)
        below_[node] = mixed(static_cast<std::uint64_t>(token.kind) + 11);
      else if (is_chain(node))
        below_[node] = share(node, child) + share(node, child + 1);
      else
        below_[node] = pair(pair(static_cast<std::uint64_t>(tokens_[node]) + 7, finished(child)),
                            token.arity == 2 ? finished(child + 1) : 0);
    }
  }

  void hash_surroundings() {
    around_[0] = 5;
    for (std::size_t node = 0; node < tokens_.size(); ++node) {
      const int arity = vocabulary_.arity(tokens_[node]);
      for (int k = 0; k < arity; ++k) {
        const auto child = static_cast<std::size_t>(first_[node] + k);
        const auto other = static_cast<std::size_t>(first_[node] + 1 - k);
        const auto id = static_cast<std::uint64_t>(tokens_[node]);
        if (!is_chain(node)) {
          const std::uint64_t sibling = arity == 2 ? finished(other) : 0;
          around_[child] = pair(pair(around_[node], id * 2 + static_cast<std::uint64_t>(k)), sibling);
          continue;
        }
        // Within a chain, the sum is passed on and used at its last link.
        const bool is_inner = node > 0 && tokens_[parent_of(node)] == tokens_[node];
        const std::uint64_t gathered = is_inner ? around_[node] : mixed(pair(around_[node], id * 2 + 1));
        const std::uint64_t together = gathered + share(node, other);
        around_[child] = tokens_[child] == tokens_[node] ? together : mixed(together);
      }
    }
  }

  std::size_t parent_of(std::size_t node) const {
    std::size_t parent = node - 1;
    while (static_cast<std::size_t>(first_[parent]) > node || vocabulary_.arity(tokens_[parent]) == 0)
      --parent;
    return parent;
  }

  void recolour() {
    std::vector<std::uint64_t> next(colours_.size(), 0);
    for (std::size_t node = 0; node < tokens_.size(); ++node)
      if (vocabulary_[tokens_[node]].kind == Kind::Variable)
        next[static_cast<std::size_t>(vocabulary_[tokens_[node]].variable)] += mixed(around_[node]);
    for (std::size_t i = 0; i < next.size(); ++i) colours_[i] = pair(colours_[i], next[i]);
  }

  const Vocabulary& vocabulary_;
  std::span<const TokenId> tokens_;
  std::vector<int> first_;
  std::vector<std::uint64_t> below_, around_, colours_;
};

}  // namespace

std::uint64_t structure_signature(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  return Hashes(vocabulary, tokens).signature();
}

}  // namespace ddsr

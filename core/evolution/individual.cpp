#include "evolution/individual.hpp"

#include "expression/tree.hpp"

namespace ddsr {

namespace {

constexpr double MOST_WHOLE_EXPONENT = 8.0;
constexpr std::uint64_t FIRST_HASH = 0xcbf29ce484222325u;

// FNV-1a over words, plus a shift that carries high bits to low ones.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

// 0 for tokens that their id describes completely; a different number for each integer exponent.
std::vector<std::uint64_t> exponent_marks(const Vocabulary& vocabulary, const Formula& formula) {
  std::vector<std::uint64_t> marks(formula.tokens.size());
  if (formula.constants.empty()) return marks;
  std::vector<bool> is_exponent(formula.tokens.size());
  std::size_t next_child = 1, next_constant = 0;
  for (std::size_t i = 0; i < formula.tokens.size(); ++i) {
    const Token& token = vocabulary[formula.tokens[i]];
    next_child += static_cast<std::size_t>(token.arity);
    if (token.arity == 2 && token.op == Op::Pow) is_exponent[next_child - 1] = true;
    if (token.kind != Kind::Constant) continue;
    const double value = formula.constants[next_constant++];
    if (is_exponent[i] && value == std::nearbyint(value) && std::fabs(value) <= MOST_WHOLE_EXPONENT)
      marks[i] = static_cast<std::uint64_t>(100.0 + value) << 32;
  }
  return marks;
}

}  // namespace

std::uint64_t structure_hash(const Vocabulary& vocabulary, const Formula& breadth_first) {
  const Canonical canonical = canonical_form(vocabulary, breadth_first.tokens);
  const std::vector<std::uint64_t> marks = exponent_marks(vocabulary, breadth_first);
  std::uint64_t hash = FIRST_HASH;
  for (std::size_t i = 0; i < canonical.tokens.size(); ++i)
    hash = mixed(hash, static_cast<std::uint16_t>(canonical.tokens[i]) |
                           marks[static_cast<std::size_t>(canonical.order[i])]);
  return hash;
}

}  // namespace ddsr

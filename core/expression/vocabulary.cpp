#include "expression/vocabulary.hpp"

#include <limits>
#include <stdexcept>

namespace ddsr {

Vocabulary::Vocabulary(const std::vector<std::string>& operators, bool has_one, bool has_constant,
                       int n_variables)
    : n_operators_(static_cast<int>(operators.size())), n_variables_(n_variables) {
  for (const auto& name : operators) {
    int index = 0;
    while (index < N_OPERATORS && OPERATORS[index].name != name) ++index;
    if (index == N_OPERATORS) throw std::invalid_argument("unknown operator '" + name + "'");
    tokens_.push_back({Kind::Operator, static_cast<Op>(index), OPERATORS[index].arity, -1});
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
}

}  // namespace ddsr

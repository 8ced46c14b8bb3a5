#include "examples/random_tree.hpp"

#include <array>

#include "examples/numbers.hpp"

namespace ddsr {

namespace {

constexpr double UNARY_RATE = 0.25, CONSTANT_RATE = 0.14, FRESH_RATE = 0.75;

class TreeDrawer {
 public:
  TreeDrawer(Draft& draft, RandomSource& random, int n_variables)
      : draft_(draft), random_(random), n_variables_(n_variables) {
    const Vocabulary& vocabulary = draft.vocabulary();
    for (TokenId id = 0; id < vocabulary.n_operators(); ++id)
      if (vocabulary.arity(id) == 1) unary_.push_back(vocabulary[id].op);
  }

  void tree(int n_tokens, bool is_periodic) {
    if (n_tokens < 2) return leaf();
    if (!unary_.empty() && (n_tokens == 2 || random_.chance(UNARY_RATE))) {
      const Op op = unary_[static_cast<std::size_t>(random_.below(static_cast<int>(unary_.size())))];
      const bool turns = row_of(op).is_periodic();
      if (!(turns && is_periodic)) draft_.put(op);
      return tree(n_tokens - 1, is_periodic || turns);
    }
    constexpr std::array BINARY{Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Pow};
    constexpr std::array WEIGHTS{0.25, 0.18, 0.31, 0.2, 0.06};
    const Op op = BINARY[static_cast<std::size_t>(draw_weighted(random_, WEIGHTS))];
    draft_.put(op);
    if (op == Op::Pow) {
      tree(n_tokens - 2, is_periodic);
      return draft_.put(draw_exponent(random_));
    }
    const int n_first = n_tokens > 3 ? random_.between(1, n_tokens - 2) : 1;
    tree(n_first, is_periodic);
    tree(n_tokens - 1 - n_first, is_periodic);
  }

 private:
  void leaf() {
    if (random_.chance(CONSTANT_RATE))
      return draft_.put(random_.chance(0.3) ? 1.0
                                            : (random_.chance(0.2) ? -1.0 : 1.0) * draw_constant(random_));
    const bool is_fresh = n_used_ == 0 || (n_used_ < n_variables_ && random_.chance(FRESH_RATE));
    draft_.put_variable(is_fresh ? n_used_++ : random_.below(n_used_));
  }

  Draft& draft_;
  RandomSource& random_;
  int n_variables_, n_used_ = 0;
  std::vector<Op> unary_;
};

}  // namespace

void put_random_tree(Draft& draft, RandomSource& random, int n_tokens, int n_variables) {
  TreeDrawer(draft, random, n_variables).tree(n_tokens, false);
}

}  // namespace ddsr

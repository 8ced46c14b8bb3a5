#include "grammar/fill.hpp"

#include <algorithm>
#include <stdexcept>

#include "grammar/masked_softmax.hpp"
#include "grammar/partial_tree.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace ddsr {

namespace {

// The random numbers of one row: four positions share a block.
class RowNumbers {
 public:
  RowNumbers(std::uint64_t seed, std::uint64_t stream, std::size_t row)
      : seed_(seed), stream_(stream), row_(static_cast<std::uint32_t>(row)) {}

  float operator()(int position) {
    if (position / 4 != block_index_) {
      block_index_ = position / 4;
      block_ = random_block(seed_, stream_, row_, static_cast<std::uint32_t>(block_index_));
    }
    return uniform_float(block_[static_cast<std::size_t>(position % 4)]);
  }

 private:
  std::uint64_t seed_, stream_;
  std::uint32_t row_;
  int block_index_ = -1;
  RandomBlock block_{};
};

// The working memory of one thread, reused from row to row.
class RowFiller {
 public:
  explicit RowFiller(const Grammar& grammar)
      : n_tokens_(grammar.vocabulary.size()),
        tree_(grammar, true),
        softmax_(n_tokens_, grammar.rules.max_length) {}

  // Kept tokens that are legal need no softmax and no random number.
  void fill(const float* logits, const TokenId* kept, TokenId* tokens, RowNumbers uniform_at) {
    tree_.clear();
    softmax_.start(logits, kept);
    while (!tree_.is_complete()) {
      const int i = tree_.length();
      TokenId id = kept[i];
      if (id < 0 || !tree_.is_legal(id)) {
        softmax_.load(i, tree_.legal());
        id = draw(uniform_at(i));
      }
      tokens[i] = id;
      tree_.place(id);
    }
  }

  void fill_with_log_probs(const float* logits, const TokenId* kept, TokenId* tokens, float* log_probs,
                           RowNumbers uniform_at) {
    tree_.clear();
    softmax_.start(logits, nullptr);
    while (!tree_.is_complete()) {
      const int i = tree_.length();
      const Word* legal = tree_.legal();
      softmax_.load(i, legal);
      const TokenId id = kept[i] >= 0 && has(legal, kept[i]) ? kept[i] : draw(uniform_at(i));
      tokens[i] = id;
      log_probs[i] = softmax_.log_prob(id);
      tree_.place(id);
    }
  }

 private:
  TokenId draw(float uniform) const {
    const TokenId id = softmax_.draw(uniform);
    if (id < 0) throw std::logic_error("the grammar ran into a dead end");
    return id;
  }

  int n_tokens_;
  PartialTree tree_;
  MaskedSoftmax softmax_;
};

}  // namespace

void fill(const Grammar& grammar, const FillInput& input, std::uint64_t seed, std::uint64_t stream,
          int n_threads, const FillOutput& output) {
  const auto length = static_cast<std::size_t>(grammar.rules.max_length);
  const auto n_tokens = static_cast<std::size_t>(grammar.vocabulary.size());
  std::fill_n(output.tokens, input.n_rows * length, PAD);
  if (output.log_probs != nullptr) std::fill_n(output.log_probs, input.n_rows * length, 0.0f);
  // Starting a thread takes about as long as filling a hundred rows, so few rows are not worth many threads.
  parallel_with(input.n_rows, n_threads, 256, [&] {
    return [&, filler = RowFiller(grammar)](std::size_t row) mutable {
      const std::size_t at = row * length;
      const std::size_t source = input.logits_of ? static_cast<std::size_t>(input.logits_of[row]) : row;
      const float* logits = input.logits + source * length * n_tokens;
      const TokenId* kept = input.kept + at;
      const RowNumbers uniform_at(seed, stream, row);
      if (output.log_probs == nullptr)
        filler.fill(logits, kept, output.tokens + at, uniform_at);
      else
        filler.fill_with_log_probs(logits, kept, output.tokens + at, output.log_probs + at, uniform_at);
    };
  });
}

int LegalMarker::mark(std::span<const TokenId> row, std::uint8_t* legal) {
  const std::ptrdiff_t n_tokens = grammar_.vocabulary.size();
  const auto end_of_known = static_cast<std::size_t>(
      std::find_if(row.begin(), row.end(), [](TokenId id) { return id == PAD || id == MASK; }) - row.begin());
  tree_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (tree_.is_complete()) return i < end_of_known ? static_cast<int>(i) : -1;
    const Word* tokens = tree_.legal();
    const bool is_given = i < end_of_known && grammar_.vocabulary.holds(row[i]);
    if (is_given && !has(tokens, row[i])) {
      tree_.ignore_units();
      tokens = tree_.legal();
    }
    std::uint8_t* here = legal + static_cast<std::ptrdiff_t>(i) * n_tokens;
    for_each_token(tokens, grammar_.n_words(), [&](TokenId id) { here[id] = 1; });
    if (i >= end_of_known) return -1;
    if (!grammar_.vocabulary.holds(row[i]) || !has(tokens, row[i])) return static_cast<int>(i);
    tree_.place(row[i]);
  }
  return -1;
}

}  // namespace ddsr

#include "prior/distinct_draws.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "random.hpp"

namespace ddsr::prior {

namespace {

constexpr double NEVER = -std::numeric_limits<double>::infinity();
// Beginnings that are continued together, since larger products are faster. More than are needed cost time
// only if no more expressions are asked for.
constexpr std::size_t FEWEST_TOGETHER = 8, MOST_TOGETHER = 64;

// Log-probabilities of the legal tokens, renormalised; in the order of `tokens`.
std::vector<double> log_softmax(const float* logits, const std::vector<TokenId>& tokens) {
  double highest = NEVER, sum = 0.0;
  for (TokenId id : tokens) highest = std::max<double>(highest, logits[id]);
  for (TokenId id : tokens) sum += std::exp(logits[id] - highest);
  std::vector<double> log_probs;
  for (TokenId id : tokens) log_probs.push_back(logits[id] - highest - std::log(sum));
  return log_probs;
}

std::vector<TokenId> legal_tokens(PartialTree& tree, int n_words) {
  std::vector<TokenId> tokens;
  for_each_token(tree.legal(), n_words, [&](TokenId id) { tokens.push_back(id); });
  return tokens;
}

// The number of a continuation, given that the largest of its siblings' is `most`: `free` are the numbers
// without this condition, and `largest` is the largest of these.
double below(double most, double free, double largest) {
  if (free == largest) return most;
  if (free == NEVER) return NEVER;
  const double excess = most - free + std::log1p(-std::exp(free - largest));
  return most - std::max(0.0, excess) - std::log1p(std::exp(-std::abs(excess)));
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

DistinctDraws::DistinctDraws(const Grammar& grammar, std::shared_ptr<const DataNetwork> network,
                             std::vector<int> places, std::uint64_t seed)
    : grammar_(grammar),
      network_(std::move(network)),
      places_(std::move(places)),
      seed_(seed),
      tree_(grammar, true) {
  beginnings_.push_back({0, MASK, 0, 1, 0.0});
  open_.push({0.0, 0});
}

std::vector<std::vector<TokenId>> DistinctDraws::next(std::size_t n, double seconds, int n_threads) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::vector<TokenId>> found;
  while (found.size() < n && !open_.empty()) {
    const Candidate highest = open_.top();
    if (beginnings_[highest.beginning].n_open == 0) {
      found.push_back(tokens_of(highest.beginning));
      open_.pop();
      continue;
    }
    if (seconds_since(began) > seconds) break;
    continue_all(take_highest(std::clamp(n - found.size(), FEWEST_TOGETHER, MOST_TOGETHER)), n_threads);
  }
  return found;
}

// Removes the n highest unfinished beginnings from the queue.
std::vector<DistinctDraws::Candidate> DistinctDraws::take_highest(std::size_t n) {
  std::vector<Candidate> chosen, complete;
  while (chosen.size() < n && complete.size() < n && !open_.empty()) {
    const Candidate next = open_.top();
    open_.pop();
    (beginnings_[next.beginning].n_open == 0 ? complete : chosen).push_back(next);
  }
  for (const Candidate& each : complete) open_.push(each);
  return chosen;
}

void DistinctDraws::continue_all(const std::vector<Candidate>& chosen, int n_threads) {
  std::vector<std::vector<TokenId>> tokens;
  std::vector<std::span<const TokenId>> rows;
  for (const Candidate& each : chosen) tokens.push_back(tokens_of(each.beginning));
  for (const std::vector<TokenId>& row : tokens) rows.emplace_back(row);
  const auto n_tokens = static_cast<std::size_t>(network_->n_tokens());
  std::vector<float> logits(chosen.size() * n_tokens);
  network_->next_logits(rows, logits.data(), n_threads);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    add_children(chosen[i], tokens[i], logits.data() + i * n_tokens);
  n_continued_ += chosen.size();
}

void DistinctDraws::add_children(const Candidate& parent, const std::vector<TokenId>& tokens,
                                 const float* logits) {
  tree_.clear();
  std::uint64_t stream = 0;  // differs between beginnings
  for (TokenId id : tokens) {
    tree_.place(id);
    const RandomBlock block =
        random_block(seed_, stream, static_cast<std::uint32_t>(places_[static_cast<std::size_t>(id)]), 1);
    stream = std::uint64_t{block[0]} << 32 | block[1];
  }
  const std::vector<TokenId> legal = legal_tokens(tree_, grammar_.n_words());
  const std::vector<double> log_probs = log_softmax(logits, legal);
  const double so_far = beginnings_[parent.beginning].log_prob;
  std::vector<double> free;
  for (std::size_t i = 0; i < legal.size(); ++i) {
    const auto place = static_cast<std::uint32_t>(places_[static_cast<std::size_t>(legal[i])]);
    const RandomBlock block = random_block(seed_, stream, place, 0);
    free.push_back(so_far + log_probs[i] - std::log(-std::log(uniform_double(block[0], block[1]))));
  }
  const double largest = free.empty() ? NEVER : *std::max_element(free.begin(), free.end());
  const int n_open = tree_.n_open();
  for (std::size_t i = 0; i < legal.size(); ++i) {
    const int n_left = n_open - 1 + grammar_.vocabulary.arity(legal[i]);
    open_.push({below(parent.number, free[i], largest), static_cast<std::uint32_t>(beginnings_.size())});
    beginnings_.push_back({parent.beginning, legal[i], static_cast<std::int16_t>(tokens.size() + 1),
                           static_cast<std::int16_t>(n_left), so_far + log_probs[i]});
  }
}

std::vector<TokenId> DistinctDraws::tokens_of(std::uint32_t beginning) const {
  std::vector<TokenId> tokens(static_cast<std::size_t>(beginnings_[beginning].length));
  for (std::size_t i = tokens.size(); i-- > 0; beginning = beginnings_[beginning].parent)
    tokens[i] = beginnings_[beginning].token;
  return tokens;
}

std::vector<std::vector<double>> token_log_probs(const Grammar& grammar, const DataNetwork& network,
                                                 std::span<const std::span<const TokenId>> expressions,
                                                 int n_threads) {
  std::map<std::vector<TokenId>, std::size_t> numbers;  // many expressions begin in the same way
  for (const auto expression : expressions)
    for (std::size_t i = 0; i < expression.size(); ++i)
      numbers.try_emplace({expression.begin(), expression.begin() + static_cast<std::ptrdiff_t>(i)}, 0);
  std::vector<std::span<const TokenId>> beginnings;
  for (auto& [beginning, number] : numbers) {
    number = beginnings.size();
    beginnings.emplace_back(beginning);
  }
  const auto n_tokens = static_cast<std::size_t>(network.n_tokens());
  std::vector<float> logits(beginnings.size() * n_tokens);
  network.next_logits(beginnings, logits.data(), n_threads);
  PartialTree tree(grammar, true);
  std::vector<std::vector<double>> found;
  for (const auto expression : expressions) {
    found.emplace_back(expression.size(), NEVER);
    tree.clear();
    std::vector<TokenId> beginning;
    for (std::size_t i = 0; i < expression.size() && !tree.is_complete(); ++i) {
      const std::vector<TokenId> legal = legal_tokens(tree, grammar.n_words());
      const auto place = std::find(legal.begin(), legal.end(), expression[i]);
      if (place == legal.end()) break;
      const float* row = logits.data() + numbers.at(beginning) * n_tokens;
      found.back()[i] = log_softmax(row, legal)[static_cast<std::size_t>(place - legal.begin())];
      tree.place(expression[i]);
      beginning.push_back(expression[i]);
    }
  }
  return found;
}

}  // namespace ddsr::prior

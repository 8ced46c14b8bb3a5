#include "engine/score.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "engine/judge.hpp"
#include "expression/tree.hpp"
#include "parallel.hpp"

namespace ddsr {

namespace {

// An expression in canonical form, with its starting constants in the order of that form. Fitting this form
// makes the result independent of the notation and of the rest of the batch.
struct Candidate {
  Canonical form;
  std::vector<int> constant_from;  // for each constant of the form: its index in the expression
  std::vector<double> start;
  std::vector<std::uint8_t> is_fixed;  // of each constant
  std::string key;                     // equal for equal candidates
};

template <typename T>
void append_bytes(std::string& key, const std::vector<T>& values) {
  key.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

Candidate make_candidate(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                         std::span<const double> start, std::span<const std::uint8_t> is_fixed) {
  Candidate candidate{canonical_form(vocabulary, tokens), {}, {}, {}, {}};
  std::vector<int> number(tokens.size());  // of each constant token
  for (std::size_t i = 0, n = 0; i < tokens.size(); ++i)
    if (vocabulary.is_constant(tokens[i])) number[i] = static_cast<int>(n++);
  for (std::size_t i = 0; i < candidate.form.tokens.size(); ++i) {
    if (!vocabulary.is_constant(candidate.form.tokens[i])) continue;
    candidate.constant_from.push_back(number[static_cast<std::size_t>(candidate.form.order[i])]);
    const auto from = static_cast<std::size_t>(candidate.constant_from.back());
    candidate.start.push_back(start[from]);
    candidate.is_fixed.push_back(is_fixed.empty() ? 0 : is_fixed[from]);
  }
  append_bytes(candidate.key, candidate.form.tokens);
  append_bytes(candidate.key, candidate.start);
  append_bytes(candidate.key, candidate.is_fixed);
  return candidate;
}

// FNV-1a, which is the same on every machine: random starts depend on it.
std::uint64_t stable_hash(std::span<const TokenId> tokens) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const TokenId id : tokens) hash = (hash ^ static_cast<std::uint16_t>(id)) * 0x100000001b3u;
  return hash;
}

// Fits and judges candidates. Each thread has its own.
class Worker {
 public:
  Worker(const Vocabulary& vocabulary, const Dataset& fitting, const Dataset& scoring,
         const FitOptions& options, const FormRules* form)
      : vocabulary_(vocabulary),
        form_(form),
        fitting_(fitting),
        scoring_(scoring),
        fitter_(fitting, options),
        judge_(scoring) {}

  Score operator()(const Candidate& candidate) {
    if (form_ != nullptr && find_form_flaw(vocabulary_, *form_, candidate.form.tokens, {}))
      return {Fit{candidate.start}, std::numeric_limits<double>::infinity()};
    const Program program = compile(vocabulary_, candidate.form.tokens, candidate.is_fixed);
    Score score{fitter_.fit(program, candidate.start, stable_hash(candidate.form.tokens))};
    score.nrmse = std::numeric_limits<double>::infinity();
    if (!score.fit.is_allowed) score.fit.status = FitStatus::NonFinite;
    if (score.fit.status == FitStatus::NonFinite) return score;
    score.nrmse = &fitting_ == &scoring_ ? scoring_.error(score.fit.squares) / scoring_.spread()
                                         : judge_.nrmse(program, score.fit);
    if (!std::isfinite(score.nrmse)) {
      score.fit.status = FitStatus::NonFinite;
      score.nrmse = std::numeric_limits<double>::infinity();
    }
    return score;
  }

 private:
  const Vocabulary& vocabulary_;
  const FormRules* form_;  // null: none to check
  const Dataset &fitting_, &scoring_;
  Fitter fitter_;
  Judge judge_;
};

// Returns the constants from the canonical order to that of the expression.
void restore_order(Fit& fit, const std::vector<int>& constant_from) {
  const Fit canonical = fit;
  const std::size_t n = canonical.constants.size();
  auto own = [&](std::size_t c) { return static_cast<std::size_t>(constant_from[c]); };
  for (std::size_t c = 0; c < n; ++c) {
    fit.constants[own(c)] = canonical.constants[c];
    for (std::size_t d = 0; d < n && !fit.information.empty(); ++d)
      fit.information[own(c) * n + own(d)] = canonical.information[c * n + d];
  }
}

}  // namespace

const Score* KnownScores::find(const std::string& key) {
  if (const auto found = young_.find(key); found != young_.end()) return &found->second;
  auto aged = old_.extract(key);
  if (aged.empty()) return nullptr;
  make_room();
  return &young_.insert(std::move(aged)).position->second;
}

void KnownScores::insert(const std::string& key, const Score& score) {
  make_room();
  young_.emplace(key, score);
}

void KnownScores::make_room() {
  if (young_.size() < MOST) return;
  old_ = std::move(young_);
  young_ = Scores();
}

std::vector<Score> score(const Vocabulary& vocabulary, const Dataset& fitting, const Dataset& scoring,
                         const std::vector<std::span<const TokenId>>& expressions,
                         const std::vector<std::span<const double>>& starts,
                         const std::vector<std::span<const std::uint8_t>>& is_fixed,
                         const FitOptions& options, int n_threads, Moment deadline, KnownScores* known,
                         bool checks_form) {
  const std::size_t n = expressions.size();
  std::vector<Candidate> candidates(n);
  parallel_for(n, n_threads, [&](std::size_t i) {
    candidates[i] = make_candidate(vocabulary, expressions[i], starts[i], is_fixed[i]);
  });

  std::vector<std::size_t> original(n), distinct;
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < n; ++i) {
    original[i] = seen.emplace(candidates[i].key, i).first->second;
    if (original[i] == i) distinct.push_back(i);
  }

  std::vector<Score> scores(n);
  std::vector<std::size_t> unknown;
  for (const std::size_t i : distinct) {
    const Score* before = known != nullptr ? known->find(candidates[i].key) : nullptr;
    if (before != nullptr)
      scores[i] = *before;
    else
      unknown.push_back(i);
  }
  const Limits* limits = scoring.limits();
  const FormRules* form = checks_form && limits != nullptr ? &limits->form : nullptr;
  parallel_with(unknown.size(), n_threads, 8, [&] {
    return [&, worker = Worker(vocabulary, fitting, scoring, options, form)](std::size_t k) mutable {
      if (deadline != Moment::max() && Moment::clock::now() >= deadline) throw OutOfTime();
      scores[unknown[k]] = worker(candidates[unknown[k]]);
    };
  });
  if (known != nullptr)
    for (const std::size_t i : unknown) known->insert(candidates[i].key, scores[i]);

  for (std::size_t i = n; i-- > 0;) {
    Score result = scores[original[i]];
    result.is_duplicate = original[i] != i;
    restore_order(result.fit, candidates[i].constant_from);
    scores[i] = std::move(result);
  }
  return scores;
}

}  // namespace ddsr

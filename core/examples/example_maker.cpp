#include "examples/example_maker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "examples/drawn_formula.hpp"
#include "examples/numbers.hpp"
#include "expression/tree.hpp"
#include "grammar/violation.hpp"

namespace ddsr {

namespace {

constexpr int MOST_ATTEMPTS = 20000;
constexpr double LARGEST = 1e30, SMALLEST = 1e-20;  // bounds of |y|, well within single precision
constexpr double LEAST_CHANGE = 0.01;
// Short formulas are frequent and soon learned. Of those with 0, 1, 2, ... tokens, these shares are kept.
constexpr std::array SHORT_RATES{0.0, 0.03, 0.2, 0.25, 0.35, 0.45, 0.55, 0.65, 0.8, 0.9};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Number of inputs on which y does not depend.
int draw_n_irrelevant(const ExampleOptions& options, int n_used, RandomSource& random) {
  if (!random.chance(options.irrelevant_share)) return 0;
  constexpr std::array WEIGHTS{0.55, 0.3, 0.15};
  return std::min(1 + draw_weighted(random, WEIGHTS), options.max_variables - n_used);
}

std::vector<int> draw_order(int n, RandomSource& random) {
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  for (int i = n; i > 1; --i) std::swap(order[at(i - 1)], order[at(random.below(i))]);
  return order;
}

// Moves the variables to other columns. If a column has a unit, its variable is divided by about that.
Formula placed(const Vocabulary& vocabulary, const Formula& formula, const std::vector<int>& column_of,
               const Inputs& inputs, TokenId times) {
  Formula result;
  auto constant = formula.constants.begin();
  for (const TokenId id : formula.tokens) {
    const Token& token = vocabulary[id];
    if (token.kind == Kind::Constant) result.constants.push_back(*constant++);
    if (token.kind != Kind::Variable) {
      result.tokens.push_back(id);
      continue;
    }
    const int column = column_of[at(token.variable)];
    if (const double scale = inputs.scales[at(column)]; scale != 1.0 && times >= 0) {
      const double digit = std::pow(10.0, std::floor(std::log10(scale)));
      result.tokens.insert(result.tokens.end(), {times, vocabulary.constant()});
      result.constants.push_back(1.0 / (digit * std::nearbyint(scale / digit)));
    }
    result.tokens.push_back(static_cast<TokenId>(vocabulary.first_variable() + column));
  }
  return result;
}

int n_variables_of(const Vocabulary& vocabulary, const Formula& formula) {
  int n = 0;
  for (const TokenId id : formula.tokens)
    if (vocabulary[id].kind == Kind::Variable) n = std::max(n, vocabulary[id].variable + 1);
  return n;
}

}  // namespace

void ExampleMaker::make(std::uint64_t seed, std::uint64_t index, const ExampleSlot& slot) {
  RandomSource random(seed, index >> 32, static_cast<std::uint32_t>(index));
  for (int attempt = 0; attempt < MOST_ATTEMPTS; ++attempt) {
    if (!draw(random)) continue;
    write(slot, random);
    return;
  }
  throw std::runtime_error("with these options no example comes about");
}

bool ExampleMaker::draw(RandomSource& random) {
  const std::optional<Formula> drawn = draw_formula(grammar_.vocabulary, options_, random);
  if (!drawn || drawn->tokens.size() > 3 * at(options_.max_length)) return false;
  noise_ = random.chance(options_.noisy_share)
               ? draw_log_uniform(random, options_.least_noise, options_.most_noise)
               : 0.0;
  // A formula without values on signed inputs often has values on positive ones. Otherwise roots and
  // logarithms would become rare.
  return put_data_under(*drawn, false, random) || put_data_under(*drawn, true, random);
}

bool ExampleMaker::put_data_under(const Formula& drawn, bool must_be_positive, RandomSource& random) {
  const Vocabulary& vocabulary = grammar_.vocabulary;
  const int n_drawn = n_variables_of(vocabulary, drawn);
  if (n_drawn == 0) return false;
  const int n_columns = n_drawn + draw_n_irrelevant(options_, n_drawn, random);
  const double n_data = draw_log_uniform(random, options_.fewest_rows, options_.most_rows);
  draw_inputs(inputs_, n_columns, std::min(static_cast<int>(n_data), options_.n_rows), must_be_positive,
              random);
  const std::vector<int> column_of = draw_order(n_columns, random);
  const auto standard = standardizer_.standard_form(
      placed(vocabulary, drawn, column_of, inputs_, vocabulary.find(Op::Mul)), inputs_.signs);
  if (!standard) return false;
  formula_ = breadth_first_of(vocabulary, *standard);
  if (formula_.constants.size() > at(options_.max_constants) || !is_accepted_length(random) ||
      find_violation(grammar_, formula_.tokens))
    return false;
  program_ = compile(vocabulary, formula_.tokens);
  return has_usable_values() &&
         probe_.tells(vocabulary, program_, formula_, inputs_, values_, std::max(LEAST_CHANGE, noise_ / 2.0));
}

bool ExampleMaker::is_accepted_length(RandomSource& random) const {
  const std::size_t length = formula_.tokens.size();
  if (length > at(options_.max_length)) return false;
  return length >= SHORT_RATES.size() || random.chance(SHORT_RATES[length]);
}

bool ExampleMaker::has_usable_values() {
  const int n = inputs_.n_rows;
  evaluator_.load(program_, n, 0);
  evaluator_.set_constants(formula_.constants.data());
  values_ = evaluator_.values({inputs_.values.data(), inputs_.stride}, n);
  if (!evaluator_.is_finite()) return false;
  double mean = 0.0, largest = 0.0;
  for (int row = 0; row < n; ++row) {
    mean += values_[row] / n;
    largest = std::max(largest, std::fabs(values_[row]));
  }
  double variance = 0.0, farthest = 0.0;
  for (int row = 0; row < n; ++row) {
    const double square = (values_[row] - mean) * (values_[row] - mean);
    variance += square / n;
    farthest = std::max(farthest, square);
  }
  // y is neither constant in single precision nor dominated by a single row.
  return largest < LARGEST && largest > SMALLEST && variance > 1e-6 * mean * mean &&
         farthest < 0.8 * n * variance;
}

void ExampleMaker::write(const ExampleSlot& slot, RandomSource& random) const {
  const int n = inputs_.n_rows;
  std::ranges::copy(formula_.tokens, slot.tokens);
  std::ranges::copy(formula_.constants, slot.constants);
  for (int column = 0; column < inputs_.n_columns; ++column)
    for (int row = 0; row < n; ++row)
      slot.x[row * options_.max_variables + column] = static_cast<float>(inputs_.column(column)[row]);
  double square = 0.0;
  for (int row = 0; row < n; ++row) square += values_[row] * values_[row] / n;
  const double deviation = noise_ * std::sqrt(square);
  for (int row = 0; row < n; ++row) {
    if (slot.y_clean) slot.y_clean[row] = static_cast<float>(values_[row]);
    slot.y[row] = static_cast<float>(values_[row] + (deviation > 0.0 ? deviation * random.normal() : 0.0));
  }
  *slot.n_variables = inputs_.n_columns;
  *slot.n_rows = n;
  *slot.noise = static_cast<float>(noise_);
}

}  // namespace ddsr

#include "price/structure_code.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// The probability of a symbol is its share of the counts in the context, mixed with its probability in a less
// specific context (Witten and Bell): the more different symbols were seen, the more is left for others.
void mix(std::span<double> counts, std::span<const double> less) {
  double n = 0.0, n_kinds = 0.0;
  for (const double count : counts) n += count, n_kinds += count > 0.0 ? 1.0 : 0.0;
  if (n == 0.0) n_kinds = 1.0;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = (counts[i] + n_kinds * less[i]) / (n + n_kinds);
}

// Counts in a table of contexts. A less specific context is the same table summed over its last dimension.
class Table {
 public:
  Table(std::vector<int> sizes, int n_choices) : sizes_(std::move(sizes)), n_choices_(n_choices) {
    int n = 1;
    for (const int size : sizes_) n *= size;
    counts_.assign(at(n * n_choices_), 0.0);
  }

  double& operator()(std::span<const std::uint8_t> context, int choice) {
    int row = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) row = row * sizes_[i] + context[i];
    return counts_[at(row * n_choices_ + choice)];
  }

  // -log of the probability of each choice in each fully specified context.
  std::vector<double> nats() const {
    std::vector<std::vector<double>> levels = {counts_};  // from the full context to none
    for (std::size_t i = sizes_.size(); i-- > 0;) levels.push_back(summed(levels.back(), sizes_[i]));
    std::vector<double> known(at(n_choices_), 1.0 / n_choices_);
    mix(levels.back(), known);
    for (std::size_t i = levels.size() - 1; i-- > 0;) {
      const int size = sizes_[levels.size() - 2 - i];
      std::vector<double>& level = levels[i];
      for (std::size_t row = 0; row * at(n_choices_) < level.size(); ++row)
        mix(std::span(level).subspan(row * at(n_choices_), at(n_choices_)),
            std::span(levels[i + 1]).subspan(row / at(size) * at(n_choices_), at(n_choices_)));
    }
    for (double& chance : levels.front()) chance = -std::log(chance);
    return levels.front();
  }

 private:
  std::vector<double> summed(const std::vector<double>& counts, int size) const {
    std::vector<double> sums(counts.size() / at(size), 0.0);
    for (std::size_t i = 0; i < counts.size(); ++i)
      sums[i / at(size * n_choices_) * at(n_choices_) + i % at(n_choices_)] += counts[i];
    return sums;
  }

  std::vector<int> sizes_;
  int n_choices_;
  std::vector<double> counts_;
};

// How many of the numbers and constants at a place are numbers.
struct Fixed {
  double n_numbers = 1.0, n = 2.0;

  void take(Symbol symbol) {
    n += symbol == Symbol::Number || symbol == Symbol::Constant ? 1.0 : 0.0;
    n_numbers += symbol == Symbol::Number ? 1.0 : 0.0;
  }
  double nats_of_number() const { return -std::log(n_numbers / n); }
};

}  // namespace

StructureCode::StructureCode(const std::vector<Choice>& choices, KnownForms known)
    : known_(std::move(known)) {
  Table symbols({N_PLACES, N_PLACES}, N_SYMBOLS), listed({2, N_LISTED, N_PLACES}, N_LISTED);
  if (std::ranges::any_of(choices, [](const Choice& choice) { return is_other(choice.chosen); }))
    throw std::invalid_argument("a formula to learn from has an operator without a price");
  for (const Choice& choice : choices) ++(choice.is_listed ? listed : symbols)(choice.context, choice.chosen);
  symbols_ = symbols.nats(), listed_ = listed.nats();

  // Start from one half each, so that nothing is impossible.
  double n_formulas = 2.0, n_leading = 1.0;
  Fixed factors, exponents;
  for (const Choice& choice : choices) {
    const auto symbol = static_cast<Symbol>(choice.chosen);
    const auto top = static_cast<std::uint8_t>(Place::Top);
    if (!choice.is_listed) {
      n_formulas += choice.context[0] == top ? 1.0 : 0.0;
      if (choice.context[0] == static_cast<std::uint8_t>(Place::Exponent)) exponents.take(symbol);
    } else if (choice.context[0] == 1) {
      factors.take(symbol);
      const bool is_first = choice.context[1] == END && choice.context[2] == top;
      n_leading += is_first && symbol == Symbol::Number ? 1.0 : 0.0;
    }
  }
  leading_number_ = -std::log(n_leading / n_formulas);
  being_factor_ = factors.nats_of_number(), being_exponent_ = exponents.nats_of_number();
}

double StructureCode::symbol_nats(Place place, Place above, Symbol symbol) const {
  const int row = static_cast<int>(place) * N_PLACES + static_cast<int>(above);
  return symbols_[at(row * N_SYMBOLS + static_cast<int>(symbol))];
}

double StructureCode::listed_nats(bool is_product, int before, Place place, int next) const {
  const int row = ((is_product ? 1 : 0) * N_LISTED + before) * N_PLACES + static_cast<int>(place);
  return listed_[at(row * N_LISTED + next)];
}

double StructureCode::nats(const Choice& choice) const {
  const auto& [first, second, third] = choice.context;
  if (is_other(choice.chosen)) return NATS_OF_OTHER;
  if (choice.is_listed) return listed_nats(first == 1, second, static_cast<Place>(third), choice.chosen);
  return symbol_nats(static_cast<Place>(first), static_cast<Place>(second),
                     static_cast<Symbol>(choice.chosen));
}

}  // namespace ddsr

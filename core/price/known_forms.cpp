#include "price/known_forms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "price/building.hpp"

namespace ddsr {

namespace {

constexpr double DISCOUNT = 0.9;
// Share of tables in which y depends on no column.
constexpr double NOTHING = 0.1;
// Shares of tables with transformed y, in the order of `Transform`.
constexpr std::array<double, KnownForms::N_TRANSFORMS> SHARES = {0.05, 0.03};
constexpr double AS_IT_IS = 1.0 - std::accumulate(SHARES.begin(), SHARES.end(), 0.0);
constexpr double INFINITE = std::numeric_limits<double>::infinity();

std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

std::uint64_t joined(std::uint64_t first, std::uint64_t second) {
  return scrambled(first ^ scrambled(second));
}

using Colours = std::map<int, std::uint64_t>;  // by column

// Order-independent hash: the order of terms and factors depends on the names of the variables.
std::uint64_t hash_of(const Structure& structure, const Colours& colours) {
  const bool is_other = structure.symbol == Symbol::Other;
  const std::uint64_t op = is_other ? static_cast<std::uint64_t>(structure.op) << 8 : 0;
  const std::uint64_t symbol = scrambled(static_cast<std::uint64_t>(structure.symbol) | op);
  switch (structure.symbol) {
    case Symbol::Constant:
      return symbol;
    case Symbol::Number:  // in single precision, since 2/3 may be off by a bit
      return joined(symbol, std::bit_cast<std::uint32_t>(static_cast<float>(structure.number)));
    case Symbol::Variable:
      return joined(symbol, colours.at(structure.variable));
    case Symbol::Sum:
    case Symbol::Product: {
      std::uint64_t sum = 0;
      for (const auto& [is_inverse, part] : structure.parts)
        sum += joined(hash_of(part, colours), is_inverse ? 1 : 0);
      return joined(symbol, sum);
    }
    default: {
      std::uint64_t hash = symbol;
      for (const Structure::Part& part : structure.parts)
        hash = joined(hash, hash_of(part.structure, colours));
      return hash;
    }
  }
}

void find_columns(const Structure& structure, Colours& colours) {
  if (structure.symbol == Symbol::Variable) colours.emplace(structure.variable, 0);
  for (const Structure::Part& part : structure.parts) find_columns(part.structure, colours);
}

// Probability that a law has a given number of the table's columns, if formulas have fewer than `n_widths`.
double chance_of_width(int n_variables, std::size_t n_widths) {
  return (1.0 - NOTHING) / static_cast<double>(std::min(static_cast<std::size_t>(n_variables), n_widths - 1));
}

int n_columns_of(const Structure& structure) {
  Colours columns;
  find_columns(structure, columns);
  return static_cast<int>(columns.size());
}

}  // namespace

std::uint64_t nameless_hash(const Structure& structure) {
  Colours colours;
  find_columns(structure, colours);
  // A variable's colour is the hash of the structure seen from it; in round two, with the others' colours.
  constexpr std::uint64_t ITSELF = 1;
  for (int round = 0; round < 2 && colours.size() > 1; ++round) {
    Colours seen;
    for (const auto& [column, colour] : colours) {
      Colours from = colours;
      from[column] = joined(colour, ITSELF);
      seen[column] = hash_of(structure, from);
    }
    colours = std::move(seen);
  }
  return hash_of(structure, colours);
}

KnownForms::Form& KnownForms::Table::at(Structure structure) {
  const auto [place, is_new] = places.try_emplace(nameless_hash(structure), forms.size());
  if (is_new) {
    const int n_columns = n_columns_of(structure);
    forms.push_back({std::move(structure), 0, n_columns});
  }
  return forms[place->second];
}

const KnownForms::Form* KnownForms::Table::find(std::uint64_t hash) const {
  const auto found = places.find(hash);
  return found == places.end() ? nullptr : &forms[found->second];
}

void KnownForms::add(Structure structure, int count) {
  std::array<Structure, N_TRANSFORMS> transformed;
  transformed[LOGARITHM] = call_structure(Symbol::Log, structure);
  transformed[INVERSE] = power_structure(structure, number_structure(-1.0));
  Form& form = known_.at(std::move(structure));
  const auto width = static_cast<std::size_t>(form.n_columns);
  if (totals_.size() <= width) totals_.resize(width + 1);
  totals_[width].count += count;
  totals_[width].n_kinds += form.count == 0 ? 1.0 : 0.0;
  form.count += count;
  if (form.n_columns == 0) return;
  for (std::size_t each = 0; each < N_TRANSFORMS; ++each)
    transformed_[each].at(std::move(transformed[each])).count += count;
}

double KnownForms::nats_of(const Form& form, int n_variables) const {
  if (form.n_columns == 0) return -std::log(NOTHING * form.count / totals_[0].count);
  const auto width = static_cast<std::size_t>(form.n_columns);
  double of_columns = 0.0;
  for (int i = 0; i < form.n_columns; ++i) of_columns += std::log(n_variables - i);
  const double share = (form.count - DISCOUNT) / totals_[width].count;
  return of_columns - std::log(chance_of_width(n_variables, totals_.size()) * share);
}

double KnownForms::nats(const Structure& structure, int n_variables) const {
  const std::uint64_t hash = nameless_hash(structure);
  double least = INFINITE;
  if (const Form* form = known_.find(hash)) least = nats_of(*form, n_variables) - std::log(AS_IT_IS);
  for (std::size_t each = 0; each < N_TRANSFORMS; ++each)
    if (const Form* form = transformed_[each].find(hash))
      least = std::min(least, nats_of(*form, n_variables) - std::log(SHARES[each]));
  return least;
}

double KnownForms::nats_of_unknown(int n_variables) const {
  double chance = 0.0;
  for (std::size_t width = 1; width < totals_.size() && static_cast<int>(width) <= n_variables; ++width) {
    const auto& [count, n_kinds] = totals_[width];
    // If no formula has this many columns, all forms are unknown.
    const double share = count > 0.0 ? DISCOUNT * n_kinds / count : 1.0;
    chance += chance_of_width(n_variables, totals_.size()) * share;
  }
  return chance > 0.0 ? -std::log(chance) : 0.0;
}

double KnownForms::nats(const Structure& structure, int n_variables, double described_nats) const {
  const double unknown = described_nats + nats_of_unknown(n_variables), known = nats(structure, n_variables);
  if (!(known < INFINITE)) return unknown;
  const double less = std::min(known, unknown);
  return less - std::log1p(std::exp(less - std::max(known, unknown)));
}

}  // namespace ddsr

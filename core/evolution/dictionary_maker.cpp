#include "evolution/dictionary_maker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ddsr {

namespace {

constexpr std::size_t MOST_COST = 7;
// Number of shapes tried for each entry still missing.
constexpr std::size_t MOST_TRIES = 4;
// The default weight of a common operator.
constexpr double COMMON = 0.5;
// Number of rows by which expressions are compared.
constexpr std::size_t N_TELLING = 16;
// Relative to the mean. Values that vary less count as constant.
constexpr double LEAST_DEVIATION = 1e-9;
// Steps per standard deviation to which values are compared.
constexpr double RESOLUTION = 1e6;
constexpr std::uint32_t STREAM = 0xd1c7;
// One entry in this many is a curve.
constexpr std::size_t CURVED_PART = 4;
// Grids of the curves, relative to the operand's range: exponents, distances from a pole, waves.
constexpr std::array STEEPNESSES{0.25, 0.5, 0.8, 1.2, 1.8, 2.7, 4.0, 6.0, 9.0, 14.0};
constexpr std::array GAPS{0.03, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
constexpr std::array TURNS{0.15, 0.3, 0.5, 0.7, 0.9, 1.2, 1.5, 1.9, 2.4, 3.0};
constexpr int N_PHASES = 4;
constexpr std::array REAL_EXPONENTS{-2.5, -1.5, -0.75, -0.5, -0.25, 0.25, 0.33, 0.75, 1.25, 1.5, 1.75, 2.5};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::uint64_t mixed(std::uint64_t hash, std::int64_t word) {
  hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 31;
}

std::int64_t hash_of_unit(const Unit& unit) {
  std::uint64_t hash = 0;
  for (const std::int16_t part : unit.parts) hash = mixed(hash, part);
  return static_cast<std::int64_t>(hash);
}

}  // namespace

DictionaryMaker::DictionaryMaker(Dictionary& dictionary, const Vocabulary& vocabulary,
                                 const EvolutionOptions& options, std::uint64_t seed, const Units* units)
    : dictionary_(dictionary),
      vocabulary_(vocabulary),
      options_(options),
      kernels_(kernels()),
      units_(units),
      random_(seed, 0, STREAM),
      n_rows_(dictionary.rows_.n_rows()),
      stride_(padded(n_rows_)) {
  // Rarely drawn functions would crowd out the others.
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id)
    if (vocabulary.arity(id) == 1 &&
        options.operator_weights[static_cast<std::size_t>(vocabulary[id].op)] >= COMMON)
      functions_.push_back({id, 0.0});
  const TokenId power = vocabulary.find(Op::Pow);
  if (power >= 0 && options.operator_weights[static_cast<std::size_t>(Op::Pow)] > 0.0 &&
      vocabulary.constant() >= 0)
    for (const double exponent : {2.0, -1.0, 3.0}) functions_.push_back({power, exponent});
}

void DictionaryMaker::fill(const std::vector<int>& inputs, std::size_t max_entries) {
  values_.reserve(2 * max_entries * stride_);
  by_cost_.assign(MOST_COST + 1, {});
  add_leaves(inputs);
  add_shapes(max_entries - max_entries / CURVED_PART);
  rank_by_simplicity();
  max_entries_ = max_entries;
  add_curves();
  if (units_ != nullptr) sort_by_unit();
}

// Entries are already in the order of their cost; those of equal cost are shuffled.
void DictionaryMaker::rank_by_simplicity() {
  std::vector<std::size_t>& ranked = dictionary_.simplest_;
  for (std::size_t entry = 0; entry < dictionary_.entries_.size(); ++entry) ranked.push_back(entry);
  for (std::size_t begin = 0, end = 0; begin < ranked.size(); begin = end) {
    while (end < ranked.size() && costs_[end] == costs_[begin]) ++end;
    for (std::size_t i = end - 1; i > begin; --i)
      std::swap(ranked[i], ranked[begin + at(random_.below(static_cast<int>(i - begin + 1)))]);
  }
}

void DictionaryMaker::add_shapes(std::size_t max_entries) {
  for (std::size_t cost = 2; cost <= MOST_COST; ++cost) {
    const std::size_t n_before = dictionary_.entries_.size();
    if (n_before >= max_entries) return;
    const std::vector<Pairing> pairings = pairings_of(cost);
    std::size_t n_shapes = by_cost_[cost - 1].size() * functions_.size();
    for (const Pairing& pairing : pairings) n_shapes += pairing.size();
    const bool has_room = n_shapes <= MOST_TRIES * (max_entries - n_before);
    if (units_ != nullptr && (cost == COST_OF_GROUPS || (cost < COST_OF_GROUPS && !has_room)))
      add_groups(max_entries);
    if (has_room)
      add_all(cost, pairings);
    else
      return add_some(cost, pairings, n_shapes, max_entries);
  }
}

// The operators and operand costs that make up `cost`. Products and quotients cost nothing, because formulas
// have many factors and few functions.
std::vector<DictionaryMaker::Pairing> DictionaryMaker::pairings_of(std::size_t cost) const {
  std::vector<Pairing> pairings;
  for (const Op op : {Op::Mul, Op::Div, Op::Add, Op::Sub}) {
    const TokenId token = vocabulary_.find(op);
    if (token < 0 || !(options_.operator_weights[static_cast<std::size_t>(op)] > 0.0)) continue;
    const std::size_t of_operands = op == Op::Mul || op == Op::Div ? cost : cost - 1;
    for (std::size_t i = 1; i < of_operands; ++i)
      pairings.push_back({token, &by_cost_[i], &by_cost_[of_operands - i]});
  }
  return pairings;
}

void DictionaryMaker::add_all(std::size_t cost, const std::vector<Pairing>& pairings) {
  for (const int operand : by_cost_[cost - 1])
    for (const Function& function : functions_) add_function(function, operand, cost);
  for (const Pairing& pairing : pairings)
    for (const int a : *pairing.left)
      for (const int b : *pairing.right) add_pair(pairing.token, a, b, cost);
}

// Draws shapes uniformly until the dictionary is full or too many were duplicates.
void DictionaryMaker::add_some(std::size_t cost, const std::vector<Pairing>& pairings, std::size_t n_shapes,
                               std::size_t max_entries) {
  const std::vector<int>& operands = by_cost_[cost - 1];
  auto one_of = [&](const auto& list) -> const auto& {
    return list[static_cast<std::size_t>(random_.below(static_cast<int>(list.size())))];
  };
  const std::size_t n_tries = MOST_TRIES * (max_entries - dictionary_.entries_.size());
  for (std::size_t n = 0; n < n_tries && dictionary_.entries_.size() < max_entries; ++n) {
    double mark = random_.uniform() * static_cast<double>(n_shapes);
    mark -= static_cast<double>(operands.size() * functions_.size());
    if (mark < 0.0) {
      add_function(one_of(functions_), one_of(operands), cost);
      continue;
    }
    for (const Pairing& pairing : pairings) {
      mark -= static_cast<double>(pairing.size());
      if (mark >= 0.0) continue;
      add_pair(pairing.token, one_of(*pairing.left), one_of(*pairing.right), cost);
      break;
    }
  }
}

void DictionaryMaker::add_leaves(const std::vector<int>& inputs) {
  for (const int column : inputs) add({static_cast<TokenId>(vocabulary_.first_variable() + column)}, 1);
  if (vocabulary_.one() < 0) return;
  // The literal 1 is not an entry, because it is constant, but it is part of many.
  dictionary_.shapes_.push_back({vocabulary_.one()});
  if (units_ != nullptr) shape_units_.push_back({});
  values_.resize(values_.size() + stride_, 1.0);
  by_cost_[1].push_back(static_cast<int>(dictionary_.shapes_.size()) - 1);
}

// Skips functions of functions, which are rare, and functions of the literal 1, which are constant.
void DictionaryMaker::add_function(const Function& function, int operand, std::size_t cost) {
  const Shape& below = dictionary_.shapes_[at(operand)];
  const bool is_power = function.exponent != 0.0;
  const bool is_below_function = vocabulary_.arity(below.token) == 1 || below.exponent != 0.0;
  if (below.token == vocabulary_.one()) return;
  if (is_below_function && (!is_power || below.exponent != 0.0 || vocabulary_[below.token].op == Op::Sqrt))
    return;
  if (is_power && function.exponent != 2.0 && cost > 2) return;  // other powers only of variables
  const Reals domain = row_of(vocabulary_[function.token].op).domain;
  const bool is_of_positive = domain == Reals::Nonnegative || domain == Reals::Positive;
  if (is_of_positive && can_scale() && is_negative(operand))
    return add({function.token, operand, -1, 0.0, below.size + 3, -1.0}, cost);
  add({function.token, operand, -1, function.exponent, below.size + (is_power ? 2 : 1)}, cost);
}

// Skips b - a, which equals a - b up to its sign, and factors of 1.
void DictionaryMaker::add_pair(TokenId token, int a, int b, std::size_t cost) {
  const Shape &left = dictionary_.shapes_[at(a)], &right = dictionary_.shapes_[at(b)];
  const TokenId one = vocabulary_.one();
  const Op op = vocabulary_[token].op;
  if (a == b || (op != Op::Div && a > b) || (op == Op::Div && right.token == one)) return;
  if (op == Op::Mul && (left.token == one || right.token == one)) return;
  add({token, a, b, 0.0, 1 + left.size + right.size}, cost);
}

bool DictionaryMaker::can_scale() const { return vocabulary_.constant() >= 0 && is_drawn(Op::Mul); }

bool DictionaryMaker::is_negative(int shape) {
  const double* values = values_of(shape);
  return std::all_of(values, values + n_rows_, [](double value) { return value < 0.0; });
}

void DictionaryMaker::add_curves() {
  if (!can_scale() || !is_drawn(Op::Add)) return;
  std::vector<int> operands;
  for (const std::size_t entry : dictionary_.simplest_) {
    const int shape = dictionary_.entries_[entry];
    const Token& token = vocabulary_[dictionary_.shapes_[at(shape)].token];
    if (token.kind == Kind::Operator && (token.arity == 1 || has_unit(shape))) continue;
    operands.push_back(shape);
    dictionary_.n_curved_variables_ += token.kind == Kind::Variable;
    if (operands.size() == Dictionary::N_CURVED) break;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    n_curved_ = static_cast<int>(i);
    add_curves_of(operands[i]);
  }
}

bool DictionaryMaker::is_drawn(Op op) const {
  return vocabulary_.find(op) >= 0 && options_.operator_weights[static_cast<std::size_t>(op)] > 0.0;
}

void DictionaryMaker::add_curves_of(int operand) {
  const double* values = values_of(operand);
  const auto [least, most] = std::minmax_element(values, values + n_rows_);
  const double start = *least, range = *most - *least, end = *most;
  for (const double steepness : STEEPNESSES)
    for (const double sign : {1.0, -1.0}) add_curve(EXPONENTIAL, operand, sign * steepness / range, 0.0);
  for (const double gap : GAPS)
    for (const bool is_below : {true, false}) {
      const double factor = is_below ? 1.0 : -1.0, shift = is_below ? gap * range - start : gap * range + end;
      add_curve(POLE, operand, factor, shift, -1.0);
      add_curve(LOGARITHM, operand, factor, shift);
      add_curve(ROOT, operand, factor, shift, 0.5);
    }
  for (const double exponent : REAL_EXPONENTS)
    if (start > 0.0 || end < 0.0) add_curve(POWER, operand, start > 0.0 ? 1.0 : -1.0, 0.0, exponent);
  for (const double turns : TURNS)
    for (int phase = 0; phase < N_PHASES; ++phase)
      add_curve(WAVE, operand, 2.0 * std::numbers::pi * turns / range, std::numbers::pi * phase / N_PHASES);
}

void DictionaryMaker::add_curve(Family family, int operand, double factor, double shift, double exponent) {
  constexpr std::array<Op, Dictionary::N_FAMILIES> OPS{Op::Exp, Op::Log, Op::Pow, Op::Pow, Op::Pow, Op::Sin};
  const Op op = OPS[family];
  const int curve = family * static_cast<int>(Dictionary::N_CURVED) + n_curved_;
  if (!is_drawn(op) || dictionary_.entries_.size() >= max_entries_) return;
  const int n_numbers = (factor != 1.0) + (shift != 0.0) + (exponent != 0.0);
  const int size = 1 + 2 * n_numbers - (exponent != 0.0) + dictionary_.shapes_[at(operand)].size;
  add({vocabulary_.find(op), operand, -1, exponent, size, factor, shift, curve}, MOST_COST);
}

void DictionaryMaker::add(const Shape& shape, std::size_t cost) {
  const Token& token = vocabulary_[shape.token];
  if (units_ != nullptr && !has_consistent_units(shape)) return;
  const std::size_t before = values_.size();
  values_.resize(before + stride_);
  double* values = values_.data() + before;
  const int n = static_cast<int>(stride_);
  if (shape.a < 0) {
    const double* column = dictionary_.rows_.columns(0)[token.variable];
    std::copy(column, column + stride_, values);
  } else if (shape.curve >= 0 || shape.factor != 1.0) {
    inner_.resize(stride_), exponents_.assign(stride_, shape.exponent);
    const double* operand = values_of(shape.a);
    for (std::size_t row = 0; row < stride_; ++row) inner_[row] = shape.factor * operand[row] + shape.shift;
    kernels_.value[static_cast<std::size_t>(token.op)](values, inner_.data(), exponents_.data(), n);
  } else if (shape.exponent != 0.0) {
    kernels_.integer_power(values, values_of(shape.a), static_cast<int>(shape.exponent), n);
  } else if (token.own != nullptr) {
    const double* second = shape.b < 0 ? nullptr : values_of(shape.b);
    if (!token.own->value(values, values_of(shape.a), second, n)) values[0] = NAN;
  } else {
    const double* second = values_of(shape.b < 0 ? shape.a : shape.b);
    kernels_.value[static_cast<std::size_t>(token.op)](values, values_of(shape.a), second, n);
  }
  std::uint64_t hash = 0;
  for (std::size_t row = 0; row < std::min(n_rows_, N_TELLING); ++row) {
    int power = 0;
    const double share = std::frexp(values[row], &power);
    hash = mixed(mixed(hash, std::llround(share * 1e9)), power);
  }
  if (units_ != nullptr) hash = mixed(hash, hash_of_unit(shape_units_.back()));
  if (!kernels_.all_finite(values, n) || !seen_values_.insert(hash).second) {
    values_.resize(before);
    if (units_ != nullptr) shape_units_.pop_back();
    return;
  }
  dictionary_.shapes_.push_back(shape);
  const int index = static_cast<int>(dictionary_.shapes_.size()) - 1;
  by_cost_[cost].push_back(index);
  enter(index, cost);
}

void DictionaryMaker::enter(int shape, std::size_t cost) {
  const double* values = values_of(shape);
  const int n = static_cast<int>(n_rows_);
  const double mean = kernels_.sum(values, n) / n;
  double squares = 0.0;
  for (std::size_t row = 0; row < n_rows_; ++row) squares += (values[row] - mean) * (values[row] - mean);
  const double deviation = std::sqrt(squares / n);
  if (!(deviation > LEAST_DEVIATION * std::fabs(mean)) || !std::isfinite(deviation)) {
    if (units_ != nullptr) unvarying_.push_back({shape, cost});
    return;
  }
  const double sign = values[0] < mean ? -1.0 : 1.0;
  std::uint64_t hash = 0;
  for (std::size_t row = 0; row < std::min(n_rows_, N_TELLING); ++row)
    hash = mixed(hash, std::llround(sign * (values[row] - mean) / deviation * RESOLUTION));
  if (units_ != nullptr) hash = mixed(hash, hash_of_unit(shape_units_[at(shape)]));
  if (!seen_shapes_.insert(hash).second) return;
  Dictionary& dictionary = dictionary_;
  const std::size_t entry = dictionary.entries_.size(), lane = entry % Dictionary::WIDTH;
  if (lane == 0) dictionary.table_.resize(dictionary.table_.size() + n_rows_ * Dictionary::WIDTH, 0.0f);
  float* block = dictionary.table_.data() + entry / Dictionary::WIDTH * n_rows_ * Dictionary::WIDTH;
  for (std::size_t row = 0; row < n_rows_; ++row)
    block[row * Dictionary::WIDTH + lane] = static_cast<float>((values[row] - mean) / deviation);
  dictionary.entries_.push_back(shape);
  costs_.push_back(cost);
  dictionary.curves_.push_back(dictionary.shapes_[at(shape)].curve);
  dictionary.means_.push_back(mean), dictionary.deviations_.push_back(deviation);
  dictionary.size_costs_.push_back(
      static_cast<float>(std::exp(2.0 * options_.parsimony * dictionary.shapes_[at(shape)].size)));
}

}  // namespace ddsr

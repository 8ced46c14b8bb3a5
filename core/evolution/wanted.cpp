#include "evolution/wanted.hpp"

#include <algorithm>
#include <cmath>

#include "evolution/inversion.hpp"
#include "expression/tree.hpp"

namespace ddsr {

namespace {

// Minimum share and number of rows that must have a wanted value.
constexpr double LEAST_SHARE_OF_ROWS = 0.75;
constexpr std::size_t LEAST_ROWS = 4;
// Upper limit of a row's weight relative to the mean: far from the target, weights are unreliable.
constexpr double MOST_WEIGHT = 20.0;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Whether a constant factor of the operand is one of the result; for powers with a constant exponent, of the
// base.
bool keeps_scale(Op op) {
  return op == Op::Mul || op == Op::Div || op == Op::Pow || row_of(op).degree != 0.0;
}

}  // namespace

std::optional<Unit> unit_below(const Vocabulary& vocabulary, const Wrapper& wrapper, const Unit& unit) {
  if (wrapper.token < 0) return unit;
  const Token& token = vocabulary[wrapper.token];
  const UnitLaw law = unit_law(token);
  if (law.kind == UnitLaw::Kind::Quotient) return quotient({}, unit);
  const bool gives_number = law.kind == UnitLaw::Kind::Number || law.kind == UnitLaw::Kind::Sign;
  if (gives_number) return unit.is_number() ? std::optional(Unit{}) : std::nullopt;
  return operand_unit(law, true, unit, {}, wrapper.exponent);
}

bool is_root(Op op, double exponent) {
  return op == Op::Sqrt || (op == Op::Pow && exponent != std::round(exponent));
}

Wanted::Wanted(const Vocabulary& vocabulary, const Dataset& rows) : vocabulary_(vocabulary), rows_(rows) {
  values_.resize(padded(rows.n_rows())), weights_.resize(padded(rows.n_rows()));
}

bool Wanted::evaluate(const Formula& formula) {
  const Formula breadth_first = breadth_first_of(vocabulary_, formula);
  order_ = breadth_first_from_prefix(vocabulary_, formula.tokens);
  program_ = compile(vocabulary_, breadth_first.tokens);
  parents_.assign(program_.nodes.size(), -1);
  for (std::size_t i = 0; i < program_.nodes.size(); ++i)
    for (const int child : {program_.nodes[i].a, program_.nodes[i].b})
      if (child >= 0) parents_[at(child)] = static_cast<int>(i);
  evaluator_.load(program_, static_cast<int>(rows_.n_rows()), 1);
  evaluator_.set_constants(breadth_first.constants.data());
  evaluator_.forget(0);
  evaluator_.values(rows_.columns(0), static_cast<int>(rows_.n_rows()));
  return evaluator_.is_finite();
}

// Programs are in breadth-first order, formulas in prefix order.
int Wanted::node_at(int begin) const {
  const auto token = static_cast<int>(std::find(order_.begin(), order_.end(), begin) - order_.begin());
  return program_.node_of.empty() ? token : program_.node_of[at(token)];
}

// An operand of a template that is used several times has no single place.
bool Wanted::is_unique(int begin) const {
  const auto token = std::find(order_.begin(), order_.end(), begin) - order_.begin();
  return program_.n_nodes_of.empty() || program_.n_nodes_of[static_cast<std::size_t>(token)] == 1;
}

void Wanted::want(double scale, double offset) {
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    values_[row] = (rows_.y()[row] - offset) / scale;
    weights_[row] = rows_.weights() == nullptr ? 1.0 : rows_.weights()[row];
  }
}

bool Wanted::carry_down(int begin, Freedom& freedom) {
  if (!is_unique(begin)) return false;
  std::vector<int> path;
  for (int i = node_at(begin); i >= 0; i = parents_[at(i)]) path.push_back(i);
  std::reverse(path.begin(), path.end());
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const Node& above = program_.nodes[at(path[k])];
    const bool is_first = above.a == path[k + 1];
    if (above.op == Op::Pow && !is_first) return false;
    const int sibling = is_first ? above.b : above.a;
    carry_through(above.op, is_first, sibling < 0 ? nullptr : evaluator_.node_values(sibling),
                  evaluator_.node_values(path[k + 1]));
    restrict(freedom, above, is_first);
  }
  return true;
}

void Wanted::restrict(Freedom& freedom, const Node& above, bool is_first) const {
  freedom.offset = freedom.offset && (above.op == Op::Add || above.op == Op::Sub || above.op == Op::Neg);
  freedom.scale = freedom.scale && keeps_scale(above.op);
  if (above.op == Op::Pow) {
    const Kind exponent = program_.nodes[at(above.b)].kind;
    freedom.scale = freedom.scale && is_first && (exponent == Kind::Constant || exponent == Kind::One);
    freedom.is_signed = freedom.is_signed && !is_root(above.op, evaluator_.node_values(above.b)[0]);
  }
  if (above.op == Op::Sqrt || above.op == Op::Relu) freedom.is_signed = false;
}

void Wanted::carry_through(Op op, bool is_first, const double* other, const double* current) {
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    const Needed needed = needed_operand(op, is_first, values_[row], other == nullptr ? 0.0 : other[row],
                                         current == nullptr ? 0.0 : current[row]);
    values_[row] = needed.value;
    weights_[row] *= needed.slope * needed.slope;
  }
}

void Wanted::carry_below(const Wrapper& wrapper) {
  if (wrapper.token < 0) return;
  if (wrapper.exponent == 0.0) return carry_through(vocabulary_[wrapper.token].op, true, nullptr, nullptr);
  constant_.assign(values_.size(), wrapper.exponent);
  carry_through(Op::Pow, true, constant_.data(), nullptr);
}

bool Wanted::weigh() {
  const std::size_t n = rows_.n_rows();
  std::size_t n_left = 0;
  double total = 0.0;
  for (std::size_t row = 0; row < n; ++row) {
    const bool is_known = std::isfinite(values_[row]) && std::isfinite(weights_[row]) && weights_[row] > 0.0;
    if (!is_known) weights_[row] = 0.0;
    n_left += is_known, total += weights_[row];
  }
  const double share = static_cast<double>(n_left) / static_cast<double>(n);
  if (!(share >= LEAST_SHARE_OF_ROWS) || n_left < LEAST_ROWS) return false;
  const double most = MOST_WEIGHT * total / static_cast<double>(n_left);
  for (std::size_t row = 0; row < n; ++row) weights_[row] = std::min(weights_[row], most);
  return std::isfinite(total);
}

}  // namespace ddsr

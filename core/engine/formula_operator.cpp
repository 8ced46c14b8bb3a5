#include "engine/formula_operator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace ddsr {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<int> dependences(const Program& program) {
  std::vector<int> bits(program.nodes.size(), 0);
  for (std::size_t i = bits.size(); i-- > 0;) {
    const Node& node = program.nodes[i];
    if (node.kind == Kind::Variable) bits[i] = 1 << node.index;
    for (const int child : {node.a, node.b})
      if (child >= 0) bits[i] |= bits[at(child)];
  }
  return bits;
}

}  // namespace

// Buffers of one call at a time. `numbers` is filled when they grow.
struct FormulaOperator::Memory {
  int stride = 0;
  Buffer values, adjoints, numbers;
  std::vector<const double*> value_at, adjoint_at;
};

// Takes memory that is idle, and gives it back at the end of the call.
class FormulaOperator::Loan {
 public:
  explicit Loan(const FormulaOperator& owner) : owner_(owner) {
    const std::lock_guard guard(owner.lock_);
    if (owner.idle_.empty()) {
      memory_ = std::make_unique<Memory>();
    } else {
      memory_ = std::move(owner.idle_.back());
      owner.idle_.pop_back();
    }
  }
  ~Loan() {
    const std::lock_guard guard(owner_.lock_);
    owner_.idle_.push_back(std::move(memory_));
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  Memory& memory() { return *memory_; }

 private:
  const FormulaOperator& owner_;
  std::unique_ptr<Memory> memory_;
};

FormulaOperator::FormulaOperator(std::span<const Template::Node> nodes, int n_operands, OwnOperators known)
    : kernels_(kernels()),
      known_(std::move(known)),
      program_(compile_definition(nodes, n_operands, known_)),
      depends_on_(dependences(program_)) {}

FormulaOperator::~FormulaOperator() = default;

// Sets where the values of the nodes are. Only for derivatives is every value kept.
void FormulaOperator::place(Memory& memory, bool keeps_values, double* root, const double* a, const double* b,
                            int n) const {
  const std::size_t n_nodes = program_.nodes.size(), n_numbers = program_.numbers.size();
  if (memory.stride < n) {
    memory.stride = n;
    memory.values.resize(n_nodes * at(n)), memory.adjoints.resize(n_nodes * at(n));
    memory.numbers.resize(n_numbers * at(n));
    for (std::size_t i = 0; i < n_numbers; ++i)
      std::fill_n(memory.numbers.data() + i * at(n), n, program_.numbers[i]);
    memory.value_at.resize(n_nodes), memory.adjoint_at.resize(n_nodes);
  }
  for (std::size_t i = 0; i < n_nodes; ++i) {
    const Node& node = program_.nodes[i];
    const double*& where = memory.value_at[i];
    if (node.kind == Kind::Variable)
      where = node.index == 0 ? a : b;
    else if (node.kind == Kind::Constant)
      where = memory.numbers.data() + at(node.index * memory.stride);
    else if (i == 0 && root != nullptr)
      where = root;
    else
      where = memory.values.data() + at((keeps_values ? static_cast<int>(i) : node.slot) * memory.stride);
  }
}

bool FormulaOperator::compute(const Memory& memory, int index, int n) const {
  const Node& node = program_.nodes[at(index)];
  const double* a = memory.value_at[at(node.a)];
  const double* b = node.b < 0 ? nullptr : memory.value_at[at(node.b)];
  auto* out = const_cast<double*>(memory.value_at[at(index)]);
  bool is_finite = true;
  if (row_of(node.op).hides_non_finite)
    for (const int child : {node.a, node.b})
      if (child >= 0 && program_.nodes[at(child)].kind == Kind::Operator)
        is_finite = is_finite && kernels_.all_finite(memory.value_at[at(child)], n);
  if (node.own != nullptr) return node.own->value(out, a, b, n) && is_finite;
  if (node.op == Op::Pow && program_.nodes[at(node.b)].kind == Kind::Constant) {
    const double exponent = program_.numbers[at(program_.nodes[at(node.b)].index)];
    if (exponent == std::nearbyint(exponent) && std::fabs(exponent) <= MAX_INTEGER_POWER) {
      kernels_.integer_power(out, a, static_cast<int>(exponent), n);
      return is_finite;
    }
  }
  kernels_.value[static_cast<int>(node.op)](out, a, b, n);
  return is_finite;
}

bool FormulaOperator::value(double* out, const double* a, const double* b, int n) const {
  Loan loan(*this);
  Memory& memory = loan.memory();
  const bool has_operator = program_.nodes[0].kind == Kind::Operator;
  place(memory, false, has_operator ? out : nullptr, a, b, n);
  if (!has_operator) std::copy_n(memory.value_at[0], n, out);
  bool is_finite = true;
  for (int i = static_cast<int>(program_.nodes.size()) - 1; i >= 0; --i)
    if (program_.nodes[at(i)].kind == Kind::Operator) is_finite = compute(memory, i, n) && is_finite;
  return is_finite;
}

void FormulaOperator::slope(double* out, const double* adjoint, const double* a, const double* b,
                            bool of_second, int n) const {
  Loan loan(*this);
  Memory& memory = loan.memory();
  place(memory, true, nullptr, a, b, n);
  for (int i = static_cast<int>(program_.nodes.size()) - 1; i >= 0; --i)
    if (program_.nodes[at(i)].kind == Kind::Operator) compute(memory, i, n);
  const int operand = of_second ? 1 : 0;
  bool is_first = true;
  memory.adjoint_at[0] = adjoint;
  for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
    const Node& node = program_.nodes[i];
    if ((depends_on_[i] & 1 << operand) == 0) continue;
    const double* above = memory.adjoint_at[i];
    if (node.kind == Kind::Variable) {  // its derivative is the sum over all places where it stands
      for (int row = 0; row < n; ++row) out[row] = is_first ? above[row] : out[row] + above[row];
      is_first = false;
      continue;
    }
    for (const bool second : {false, true}) {
      const int child = second ? node.b : node.a;
      if (child < 0 || (depends_on_[at(child)] & 1 << operand) == 0) continue;
      if (node.op == Op::Add || (node.op == Op::Sub && !second)) {
        memory.adjoint_at[at(child)] = above;
        continue;
      }
      double* slope = memory.adjoints.data() + at(child * memory.stride);
      memory.adjoint_at[at(child)] = slope;
      const double* left = memory.value_at[at(node.a)];
      const double* right = node.b < 0 ? nullptr : memory.value_at[at(node.b)];
      if (node.own != nullptr)
        node.own->slope(slope, above, left, right, second, n);
      else
        (second ? kernels_.slope_b : kernels_.slope_a)[static_cast<int>(node.op)](
            slope, above, memory.value_at[i], left, right, n);
    }
  }
  if (is_first) std::fill_n(out, n, 0.0);
}

}  // namespace ddsr

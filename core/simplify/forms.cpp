#include "simplify/forms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ddsr {

namespace {

constexpr std::size_t SMALLEST_TABLE = 256;
constexpr std::size_t LARGEST_KEPT = 1 << 16;  // memory beyond that is released between expressions

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const Form& form, std::span<const Part> parts) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(form.shape), static_cast<std::uint64_t>(form.op));
  hash = mixed(hash, std::bit_cast<std::uint64_t>(form.value));
  hash = mixed(hash, static_cast<std::uint64_t>(form.a + 1) << 32 | static_cast<std::uint64_t>(form.b + 1));
  for (const Part& part : parts) {
    hash = mixed(hash, std::bit_cast<std::uint64_t>(part.weight));
    hash = mixed(hash, static_cast<std::uint64_t>(part.node));
  }
  return hash;
}

}  // namespace

void Forms::clear() {
  if (parts_.capacity() > LARGEST_KEPT) *this = Forms();
  forms_.clear();
  hashes_.clear();
  parts_.clear();
  table_.assign(SMALLEST_TABLE, -1);
}

int Forms::number(double value) {
  Form form{Shape::Number};
  form.value = value + 0.0;  // turns -0 into 0
  return find_or_add(form, {});
}

int Forms::variable(TokenId token, Sign sign) {
  Form form{Shape::Variable};
  form.a = token;
  form.is_nonnegative = sign != Sign::Any, form.is_positive = sign == Sign::Positive;
  return find_or_add(form, {});
}

int Forms::call(Op op, int a, int b) {
  Form form{Shape::Call, op};
  form.a = a, form.b = b;
  return find_or_add(form, {});
}

int Forms::sum(double value, std::span<const Part> parts) {
  if (parts.empty()) return number(value);
  if (parts.size() == 1 && value == 0.0 && parts[0].weight == 1.0) return parts[0].node;
  Form form{Shape::Sum};
  form.value = value + 0.0;
  return find_or_add(form, parts);
}

int Forms::product(std::span<const Part> parts) {
  if (parts.empty()) return number(1.0);
  if (parts.size() == 1 && parts[0].weight == 1.0) return parts[0].node;
  return find_or_add(Form{Shape::Product}, parts);
}

int Forms::find_or_add(Form form, std::span<const Part> parts) {
  if (2 * (forms_.size() + 1) > table_.size()) grow_table();
  const std::uint64_t hash = hash_of(form, parts);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  for (; table_[slot] >= 0; slot = (slot + 1) & mask) {
    const int id = table_[slot];
    if (hashes_[static_cast<std::size_t>(id)] == hash && is_same(id, form, parts)) return id;
  }
  set_signs(form, parts);
  form.begin = static_cast<int>(parts_.size());
  form.count = static_cast<int>(parts.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  forms_.push_back(form);
  hashes_.push_back(hash);
  return table_[slot] = size() - 1;
}

bool Forms::is_same(int id, const Form& form, std::span<const Part> parts) const {
  const Form& other = (*this)[id];
  return other.shape == form.shape && other.op == form.op && other.value == form.value && other.a == form.a &&
         other.b == form.b && std::ranges::equal(this->parts(id), parts);
}

void Forms::set_signs(Form& form, std::span<const Part> parts) const {
  auto nonnegative = [&](int id) { return (*this)[id].is_nonnegative; };
  auto positive = [&](int id) { return (*this)[id].is_positive; };
  switch (form.shape) {
    case Shape::Number:
      form.is_positive = form.value > 0.0, form.is_nonnegative = form.value >= 0.0;
      return;
    case Shape::Variable:
      return;  // unchanged
    case Shape::Sum:
      form.is_nonnegative = form.value >= 0.0 && std::ranges::all_of(parts, [&](const Part& part) {
                              return part.weight > 0.0 && nonnegative(part.node);
                            });
      form.is_positive = form.is_nonnegative &&
                         (form.value > 0.0 ||
                          std::ranges::any_of(parts, [&](const Part& part) { return positive(part.node); }));
      return;
    case Shape::Product:
      form.is_nonnegative = std::ranges::all_of(parts, [&](const Part& part) {
        return nonnegative(part.node) || is_even(part.weight) || !is_whole(part.weight);
      });
      form.is_positive = std::ranges::all_of(parts, [&](const Part& part) { return positive(part.node); });
      return;
    case Shape::Call:
      form.is_positive = row_of(form.op).range == Reals::Positive || (form.op == Op::Pow && positive(form.a));
      form.is_nonnegative = form.is_positive || row_of(form.op).range == Reals::Nonnegative ||
                            (form.op == Op::Pow && nonnegative(form.a)) || form.op == Op::Hypot;
      if (form.op == Op::Min || form.op == Op::Max) {
        const auto holds = [&](const auto& property) {
          return form.op == Op::Min ? property(form.a) && property(form.b)
                                    : property(form.a) || property(form.b);
        };
        form.is_positive = holds(positive), form.is_nonnegative = holds(nonnegative);
      }
      return;
  }
}

void Forms::grow_table() {
  table_.assign(std::max(2 * table_.size(), SMALLEST_TABLE), -1);
  const std::size_t mask = table_.size() - 1;
  for (int id = 0; id < size(); ++id) {
    std::size_t slot = hashes_[static_cast<std::size_t>(id)] & mask;
    while (table_[slot] >= 0) slot = (slot + 1) & mask;
    table_[slot] = id;
  }
}

}  // namespace ddsr

// The only folder of the core that knows Python. NumPy arrays are checked here for type, layout and contents,
// so that nothing below this layer can read outside its memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <vector>

#include "expression/vocabulary.hpp"

namespace nb = nanobind;

namespace ddsr {

template <typename T, std::size_t N>
using Input = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
using TokenRow = nb::ndarray<const TokenId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TokenRows = nb::ndarray<const TokenId, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline std::span<const TokenId> row_span(const TokenRow& row) { return {row.data(), row.shape(0)}; }
// Moves a vector into a NumPy array without copying.
template <typename T>
auto to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

// A copy of the caller's tokens: other Python threads could change the array after its check, once the GIL is
// released.
struct OwnRows {
  explicit OwnRows(const TokenRows& rows);
  std::span<const TokenId> operator[](std::size_t index) const {
    return std::span(memory).subspan(index * length, length);
  }
  std::vector<TokenId> memory;
  std::size_t n_rows, length;
};

// The rows without padding, each checked to be one complete expression.
struct Expressions {
  Expressions(const Vocabulary& vocabulary, const TokenRows& rows);
  OwnRows own;
  std::vector<std::span<const TokenId>> rows;
};

// A checked batch: every row is one complete tree with a constant for each constant token.
struct Batch {
  Expressions expressions;
  std::vector<double> values;  // a copy, for the same reason
  std::vector<std::span<const double>> constants;
  std::size_t width;
};
Batch take_batch(const Vocabulary& vocabulary, const TokenRows& tokens, const Input<double, 2>& constants);

void bind_trees(nb::module_& module);
void bind_grammar(nb::module_& module);
void bind_limits(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_evolution(nb::module_& module);
void bind_price(nb::module_& module);
void bind_prior(nb::module_& module);
void bind_simplify(nb::module_& module);
void bind_examples(nb::module_& module);

}  // namespace ddsr

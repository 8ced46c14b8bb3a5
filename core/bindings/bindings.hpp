// The only folder of the core that knows Python. Arrays come in as NumPy's, checked for type and layout;
// contents are checked here, so that nothing below this line can read outside its memory.
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

using TokenRow = nb::ndarray<const TokenId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TokenRows = nb::ndarray<const TokenId, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline std::span<const TokenId> row_span(const TokenRow& row) { return {row.data(), row.shape(0)}; }
inline std::span<const TokenId> row_span(const TokenRows& rows, std::size_t index) {
  return {rows.data() + index * rows.shape(1), rows.shape(1)};
}

// A NumPy array that owns a copy-free vector.
template <typename T>
auto to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

void bind_trees(nb::module_& module);
void bind_grammar(nb::module_& module);
void bind_engine(nb::module_& module);

}  // namespace ddsr

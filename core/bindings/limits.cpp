#include "engine/limits.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "grammar/form_rules.hpp"

namespace ddsr {

namespace {

using Points = std::tuple<Input<double, 2>, std::size_t>;  // X, and the number of points in a line
using Check = std::tuple<ValueCheck::Kind, std::size_t, double, double>;

void construct_constants(ConstantLimits* self, double low, double high, double least_exponent,
                         double largest_exponent, bool has_whole_exponents) {
  new (self) ConstantLimits{{low, high}, {least_exponent, largest_exponent}, has_whole_exponents};
}

void construct_form(FormRules* self, bool has_constant_exponents, bool has_no_offset, int max_depth,
                    const ConstantLimits& constants, const std::vector<std::tuple<TokenId, int>>& sizes) {
  FormRules rules{has_constant_exponents, has_no_offset, max_depth, constants, {}};
  for (const auto& [op, at_most] : sizes) rules.sizes.push_back({op, at_most});
  new (self) FormRules(std::move(rules));
}

void construct_limits(Limits* self, const ConstantLimits& constants, const std::optional<FormRules>& form,
                      std::size_t n_columns, const std::vector<Points>& grids,
                      const std::vector<Check>& checks, double tolerance) {
  Limits limits{n_columns, constants, form.value_or(FormRules{}), {}};
  limits.values.tolerance = tolerance;
  for (const auto& [X, in_line] : grids) {
    if (X.shape(1) != n_columns || in_line == 0 || X.shape(0) == 0 || X.shape(0) % in_line != 0)
      throw std::invalid_argument("the points of a grid are not whole lines of all columns");
    limits.values.grids.emplace_back(X.data(), X.shape(0) / in_line, in_line, n_columns);
  }
  for (const auto& [kind, grid, low, high] : checks) {
    if (grid >= grids.size()) throw std::invalid_argument("a check needs a grid that does not exist");
    limits.values.checks.push_back({kind, grid, {low, high}});
  }
  new (self) Limits(std::move(limits));
}

// The points at which equations must be 0.
auto zero_points(const Limits& limits) {
  std::vector<double> points;
  const std::size_t n_columns = limits.n_columns;
  for (const ValueCheck& check : limits.values.checks) {
    if (check.kind != ValueCheck::Kind::Zero) continue;
    const Grid& grid = limits.values.grids[check.grid];
    for (std::size_t point = 0; point < grid.n_lines() * grid.points_in_line(); ++point)
      for (std::size_t column = 0; column < n_columns; ++column)
        points.push_back(grid.columns(0)[static_cast<int>(column)][point]);
  }
  const std::size_t n_points = points.size() / n_columns;
  return to_numpy(std::move(points), {n_points, n_columns});
}

}  // namespace

void bind_limits(nb::module_& module) {
  nb::class_<ConstantLimits>(module, "ConstantLimits")
      .def("__init__", &construct_constants, nb::arg("low"), nb::arg("high"), nb::arg("least_exponent"),
           nb::arg("largest_exponent"), nb::arg("has_whole_exponents"));
  nb::class_<FormRules>(module, "FormRules")
      .def("__init__", &construct_form, nb::arg("has_constant_exponents"), nb::arg("has_no_offset"),
           nb::arg("max_depth"), nb::arg("constants"), nb::arg("sizes"),
           "max_depth: 0 for no limit; sizes: (operator, maximum number of tokens below it).");
  nb::enum_<ValueCheck::Kind>(module, "ValueCheck")
      .value("rises", ValueCheck::Kind::Rises)
      .value("falls", ValueCheck::Kind::Falls)
      .value("convex", ValueCheck::Kind::Convex)
      .value("concave", ValueCheck::Kind::Concave)
      .value("within", ValueCheck::Kind::Within)
      .value("zero", ValueCheck::Kind::Zero)
      .value("alike", ValueCheck::Kind::Alike)
      .value("no_pole", ValueCheck::Kind::NoPole);
  nb::class_<Limits>(module, "Limits")
      .def("__init__", &construct_limits, nb::arg("constants"), nb::arg("form").none(), nb::arg("n_columns"),
           nb::arg("grids"), nb::arg("checks"), nb::arg("tolerance"),
           "grids: (points, number of points in a line); checks: (kind, grid, low, high).")
      .def_prop_ro("has_whole_exponents",
                   [](const Limits& limits) { return limits.constants.has_whole_exponents; })
      .def("zero_points", &zero_points, "The points at which equations must be 0: (points, columns).");
}

}  // namespace ddsr

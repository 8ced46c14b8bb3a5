#include "bindings/function_operator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddsr {

namespace {

// A copy, because the function may keep its argument, and this memory is used again.
nb::object array_of(const double* values, int n) {
  return nb::cast(to_numpy(std::vector<double>(values, values + n), {static_cast<std::size_t>(n)}));
}

// Calls the function, and leaves NaN where it gives no array of n doubles.
template <typename Call>
void take(double* out, int n, Call call) {
  try {
    const auto found = nb::cast<Input<double, 1>>(call());
    if (found.shape(0) != static_cast<std::size_t>(n)) throw std::invalid_argument("another number of rows");
    std::copy_n(found.data(), n, out);
  } catch (nb::python_error& error) {
    // Ctrl-C while the function ran is for whoever called the search.
    if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
    std::fill_n(out, n, NAN);
  } catch (const std::exception&) {
    std::fill_n(out, n, NAN);
  }
}

}  // namespace

FunctionOperator::FunctionOperator(nb::object values, nb::object slopes)
    : values_(std::move(values)), slopes_(std::move(slopes)) {}

FunctionOperator::~FunctionOperator() {
  const nb::gil_scoped_acquire lock;
  values_.reset(), slopes_.reset();
}

bool FunctionOperator::value(double* out, const double* a, const double* b, int n) const {
  const nb::gil_scoped_acquire lock;
  take(out, n,
       [&] { return b == nullptr ? values_(array_of(a, n)) : values_(array_of(a, n), array_of(b, n)); });
  return true;
}

void FunctionOperator::slope(double* out, const double* adjoint, const double* a, const double* b,
                             bool of_second, int n) const {
  const nb::gil_scoped_acquire lock;
  take(out, n, [&] {
    const int operand = of_second ? 1 : 0;
    return b == nullptr ? slopes_(operand, array_of(a, n)) : slopes_(operand, array_of(a, n), array_of(b, n));
  });
  for (int row = 0; row < n; ++row) out[row] *= adjoint[row];
}

}  // namespace ddsr

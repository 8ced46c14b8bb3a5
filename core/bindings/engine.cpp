#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/data.hpp"
#include "engine/score.hpp"
#include "engine/values.hpp"
#include "kernels/kernels.hpp"
#include "kernels/vector_math.hpp"

namespace ddsr {

namespace {

std::vector<std::size_t> checked_rows(const Input<std::int64_t, 1>& chosen, std::size_t n) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < chosen.shape(0); ++i) {
    if (chosen.data()[i] < 0 || chosen.data()[i] >= static_cast<std::int64_t>(n))
      throw nb::value_error("a fitting row does not exist");
    rows.push_back(static_cast<std::size_t>(chosen.data()[i]));
  }
  return rows;
}

// Calls a Python function of two arrays, y and predictions, which returns the loss of each row. Threads take
// turns.
Loss::Function python_loss(const nb::callable& function) {
  const auto shared = std::shared_ptr<nb::callable>(new nb::callable(function), [](nb::callable* held) {
    const nb::gil_scoped_acquire acquire;
    delete held;
  });
  return [shared](const double* y, const double* predicted, int n, double* loss) {
    const nb::gil_scoped_acquire acquire;
    const auto size = static_cast<std::size_t>(n);
    auto copied = [size](const double* values) {
      return to_numpy(std::vector<double>(values, values + size), {size});
    };
    const auto found = nb::cast<Input<double, 1>>((*shared)(copied(y), copied(predicted)));
    if (found.shape(0) != size) throw nb::value_error("the loss must return one value for each row");
    std::copy_n(found.data(), size, loss);
  };
}

void make_data(Data* self, const Input<double, 2>& X, const Input<double, 1>& y,
               const std::optional<Input<double, 1>>& weights, const Input<std::int64_t, 1>& fit_rows,
               const Input<std::int64_t, 1>& refit_rows, double n_counted, double n_observed,
               Loss::Kind loss_kind, double quantile, double known,
               const std::optional<nb::callable>& function, bool has_offset,
               const std::optional<Limits>& limits) {
  const std::size_t n = X.shape(0);
  if (y.shape(0) != n || (weights && weights->shape(0) != n) || n == 0)
    throw nb::value_error("X, y and weights must have the same number of rows, at least 1");
  const std::vector<std::size_t> some = checked_rows(fit_rows, n), many = checked_rows(refit_rows, n);
  const Observations observations{n_counted, n_observed};
  const double* w = weights ? weights->data() : nullptr;
  const Loss loss(loss_kind, quantile, known, function ? python_loss(*function) : Loss::Function());
  const auto kept = limits ? std::make_shared<const Limits>(*limits) : nullptr;
  new (self)
      Data{Dataset(X.data(), y.data(), w, n, X.shape(1), observations, {}, loss, has_offset, kept), {}, {}};
  if (!some.empty())
    self->some.emplace(X.data(), y.data(), w, n, X.shape(1), observations, some, loss, has_offset, kept);
  if (!many.empty())
    self->many.emplace(X.data(), y.data(), w, n, X.shape(1), observations, many, loss, has_offset, kept);
}

Batch take_batch_for(std::size_t n_columns, const Vocabulary& vocabulary, const TokenRows& tokens,
                     const Input<double, 2>& constants) {
  if (static_cast<std::size_t>(vocabulary.n_variables()) != n_columns)
    throw nb::value_error("the vocabulary's variables are not the columns of X");
  return take_batch(vocabulary, tokens, constants);
}

// Marks the constants of each expression that fitting must not change: a copy, for the same reason.
struct Mask {
  std::vector<std::uint8_t> values;
  std::vector<std::span<const std::uint8_t>> rows;
};

Mask take_mask(const std::optional<Input<std::uint8_t, 2>>& fixed, const Batch& batch) {
  const std::size_t n = batch.constants.size();
  if (!fixed) return {{}, std::vector<std::span<const std::uint8_t>>(n)};
  if (fixed->shape(0) != n || fixed->shape(1) != batch.width)
    throw nb::value_error("is_fixed must have the shape of the constants");
  Mask mask{{fixed->data(), fixed->data() + fixed->size()}, {}};
  for (std::size_t i = 0; i < n; ++i)
    mask.rows.emplace_back(mask.values.data() + i * batch.width, batch.constants[i].size());
  return mask;
}

// The time `seconds` from now; never, if that is longer than anyone waits.
Moment moment_in(double seconds) {
  constexpr double NEVER = 1e9;
  if (!(seconds < NEVER)) return Moment::max();
  return Moment::clock::now() +
         std::chrono::duration_cast<Moment::duration>(std::chrono::duration<double>(seconds));
}

// Returns None if the time is up before all are scored.
std::optional<nb::dict> score_batch(const Vocabulary& vocabulary, const Data& data, const TokenRows& tokens,
                                    const Input<double, 2>& constants,
                                    const std::optional<Input<std::uint8_t, 2>>& fixed, bool refits,
                                    bool measures_information, int max_steps, int n_starts, double tolerance,
                                    bool is_scale_free, std::uint64_t seed, int n_threads, double seconds,
                                    double fit_seconds, KnownScores* known) {
  const Batch batch = take_batch_for(data.scoring.n_columns(), vocabulary, tokens, constants);
  const Mask mask = take_mask(fixed, batch);
  const FitOptions options{
      max_steps, n_starts, tolerance, is_scale_free, measures_information, seed, moment_in(fit_seconds)};
  const std::size_t n = batch.expressions.rows.size();
  std::vector<double> fitted(n * batch.width, 0.0),
      information(measures_information ? n * batch.width * batch.width : 0, 0.0), scale(n), offset(n),
      nrmse(n);
  std::vector<std::uint8_t> status(n), is_duplicate(n);
  std::vector<std::int32_t> steps(n);
  try {
    nb::gil_scoped_release release;
    const auto scores =
        score(vocabulary, data.fitting(refits), data.scoring, batch.expressions.rows, batch.constants,
              mask.rows, options, n_threads, moment_in(seconds), known, !refits);
    for (std::size_t i = 0; i < n; ++i) {
      const Fit& fit = scores[i].fit;
      const auto row = static_cast<std::ptrdiff_t>(i * batch.width);
      std::copy(fit.constants.begin(), fit.constants.end(), fitted.begin() + row);
      const std::size_t k = fit.constants.size();
      for (std::size_t a = 0; a < k && measures_information; ++a)
        std::copy_n(&fit.information[a * k], k, &information[(i * batch.width + a) * batch.width]);
      scale[i] = fit.scale, offset[i] = fit.offset, nrmse[i] = scores[i].nrmse, steps[i] = fit.steps;
      status[i] = static_cast<std::uint8_t>(fit.status), is_duplicate[i] = scores[i].is_duplicate;
    }
  } catch (const OutOfTime&) {
    return std::nullopt;
  }
  nb::dict result;
  result["constants"] = to_numpy(std::move(fitted), {n, batch.width});
  if (measures_information)
    result["information"] = to_numpy(std::move(information), {n, batch.width, batch.width});
  result["scale"] = to_numpy(std::move(scale), {n});
  result["offset"] = to_numpy(std::move(offset), {n});
  result["nrmse"] = to_numpy(std::move(nrmse), {n});
  result["status"] = to_numpy(std::move(status), {n});
  result["steps"] = to_numpy(std::move(steps), {n});
  result["is_duplicate"] = to_numpy(std::move(is_duplicate), {n});
  return result;
}

std::vector<Job> make_jobs(const Batch& batch) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < batch.expressions.rows.size(); ++i)
    jobs.push_back({batch.expressions.rows[i], batch.constants[i]});
  return jobs;
}

auto batch_values(const Vocabulary& vocabulary, const Input<double, 2>& X, const TokenRows& tokens,
                  const Input<double, 2>& constants, int n_threads) {
  const Batch batch = take_batch_for(X.shape(1), vocabulary, tokens, constants);
  const std::size_t n = batch.expressions.rows.size();
  std::vector<double> out(n * X.shape(0));
  std::vector<std::uint8_t> is_finite(n);
  {
    nb::gil_scoped_release release;
    values(vocabulary, {X.data(), X.shape(0), X.shape(1)}, make_jobs(batch), out.data(), is_finite.data(),
           n_threads);
  }
  return nb::make_tuple(to_numpy(std::move(out), {n, X.shape(0)}), to_numpy(std::move(is_finite), {n}));
}

auto batch_gradients(const Vocabulary& vocabulary, const Input<double, 2>& X, const TokenRows& tokens,
                     const Input<double, 2>& constants, int n_threads) {
  const Batch batch = take_batch_for(X.shape(1), vocabulary, tokens, constants);
  const std::size_t n = batch.expressions.rows.size();
  std::vector<double> out(n * X.shape(0) * batch.width, 0.0);
  std::vector<std::uint8_t> is_finite(n);
  {
    nb::gil_scoped_release release;
    gradients(vocabulary, {X.data(), X.shape(0), X.shape(1)}, make_jobs(batch), static_cast<int>(batch.width),
              out.data(), is_finite.data(), n_threads);
  }
  return nb::make_tuple(to_numpy(std::move(out), {n, X.shape(0), batch.width}),
                        to_numpy(std::move(is_finite), {n}));
}

}  // namespace

void bind_engine(nb::module_& module) {
  kernels();  // so that the import reports an unknown name in DDSR_KERNELS, rather than a search
  module.def("instruction_set", [] { return kernels().instruction_set; }, "The kernels in use.");
  module.def(
      "instruction_sets",
      [] {
        std::vector<std::string> names;
        for (const Kernels* set : available_kernels()) names.emplace_back(set->instruction_set);
        return names;
      },
      "The kernels that this machine can run, the fastest last.");
  module.def("vector_math", vector_math, "The vector math in use.");
  module.def("vector_math_choices", available_vector_math,
             "The vector math that this machine can use, the preferred one last.");
  module.def(
      "perturbation", [] { return kernels().perturbation; },
      "Seed of the perturbed kernels; 0 in a usual build.");

  nb::enum_<Loss::Kind>(module, "LossKind")
      .value("squared", Loss::Kind::Squared)
      .value("absolute", Loss::Kind::Absolute)
      .value("huber", Loss::Kind::Huber)
      .value("quantile", Loss::Kind::Quantile)
      .value("poisson", Loss::Kind::Poisson)
      .value("logistic", Loss::Kind::Logistic)
      .value("custom", Loss::Kind::Custom);
  nb::class_<Data>(module, "Data")
      .def("__init__", &make_data, nb::arg("X"), nb::arg("y"), nb::arg("weights").none(), nb::arg("fit_rows"),
           nb::arg("refit_rows"), nb::arg("n_counted"), nb::arg("n_observed"),
           nb::arg("loss") = Loss::Kind::Squared, nb::arg("quantile") = 0.5, nb::arg("known") = 0.0,
           nb::arg("function").none() = nb::none(), nb::arg("has_offset") = true,
           nb::arg("limits").none() = nb::none())
      .def_prop_ro("center", [](const Data& data) { return data.scoring.center(); })
      .def_prop_ro("spread", [](const Data& data) { return data.scoring.spread(); })
      .def_prop_ro("n_fit_rows", [](const Data& data) { return data.fitting(false).n_rows(); });

  nb::class_<KnownScores>(module, "KnownScores").def(nb::init<>()).def("__len__", &KnownScores::size);

  module.def("score", &score_batch, nb::arg("vocabulary"), nb::arg("data"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("is_fixed").none(), nb::arg("refits"),
             nb::arg("measures_information"), nb::arg("max_steps"), nb::arg("n_starts"), nb::arg("tolerance"),
             nb::arg("is_scale_free"), nb::arg("seed"), nb::arg("n_threads"), nb::arg("seconds"),
             nb::arg("fit_seconds"), nb::arg("known").none());
  module.def("values", &batch_values, nb::arg("vocabulary"), nb::arg("X"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("n_threads"));
  module.def("gradients", &batch_gradients, nb::arg("vocabulary"), nb::arg("X"), nb::arg("tokens"),
             nb::arg("constants"), nb::arg("n_threads"));
}

}  // namespace ddsr

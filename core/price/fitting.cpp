#include "price/fitting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "parallel.hpp"
#include "price/building_parts.hpp"
#include "price/starts.hpp"
#include "price/writing.hpp"

namespace ddsr {

namespace {

// Relative: sums of squares this close belong to one minimum. A second start that reaches it ends the fit.
constexpr double SAME_MINIMUM = 1e-5;
constexpr std::size_t AT_A_TIME = 8;

// A structure written in breadth-first order.
struct Prepared {
  Formula formula;          // constants are numbers, or 0 if fitted
  std::vector<int> fitted;  // for each constant: its index among the structure's fitted ones; -1 for a number
  std::vector<std::uint8_t> is_fixed;  // for each constant
};

std::optional<Prepared> prepare(const Vocabulary& vocabulary, const Structure& structure) {
  std::optional<Written> written = write(vocabulary, structure);
  if (!written) return {};
  std::vector<double>& constants = written->formula.constants;
  const std::vector<double> values = constants;
  std::vector<int> fitted;
  int n_fitted = 0;
  for (const bool is_fixed : written->is_fixed) fitted.push_back(is_fixed ? -1 : n_fitted++);
  // Number the constants to see where they go.
  for (std::size_t i = 0; i < constants.size(); ++i) constants[i] = static_cast<double>(i);
  Prepared prepared{breadth_first_of(vocabulary, written->formula), {}, {}};
  for (double& constant : prepared.formula.constants) {
    const auto from = static_cast<std::size_t>(constant);
    prepared.fitted.push_back(fitted[from]), prepared.is_fixed.push_back(written->is_fixed[from]);
    constant = written->is_fixed[from] ? values[from] : 0.0;
  }
  return prepared;
}

// The constants in the structure's order, and the squares that they leave.
struct Descent {
  std::vector<double> constants;
  double squares;
};

// A structure c * f or c + c * f, whose first constants are optimal for every f.
struct Scaled {
  std::size_t n_outer = 0;  // 0: it is neither
  bool is_subtracted = false;
  Structure inner;
};

Scaled scaled(const Structure& structure) {
  const bool has_offset = structure.symbol == Symbol::Sum && structure.parts.size() == 2 &&
                          structure.parts[0].structure.is_constant();
  const Structure& product = has_offset ? structure.parts[1].structure : structure;
  if (product.symbol != Symbol::Product || !has_fitted_factor(product)) return {};
  const bool is_subtracted = has_offset && structure.parts[1].is_inverse;
  return {has_offset ? 2u : 1u, is_subtracted, building::split(product).rest};
}

class StructureFitter {
 public:
  StructureFitter(const Vocabulary& vocabulary, const Dataset& data, const StructureFitOptions& options)
      : vocabulary_(vocabulary),
        options_(options),
        is_squared_(data.loss().is_squared()),
        without_offset_(data.with_offset(false)),
        with_offset_(data.with_offset(true)),
        fitter_(data, fit_options(options)),
        scaler_(without_offset_, scale_options(options)),
        shifter_(with_offset_, scale_options(options)),
        starts_(data),
        n_rows_(data.n_rows()) {}

  FittedStructure fit(const Structure& structure, std::uint32_t key) {
    const std::optional<Prepared> prepared = prepare(vocabulary_, structure);
    if (!prepared) return {};
    const auto n_free = static_cast<std::size_t>(n_constants(structure));
    if (n_free >= n_rows_ || !has_consistent_units(*prepared)) return {};
    const std::optional<Descent> best = descend(structure, *prepared, key);
    if (!best) return {};
    const Program program = compile(vocabulary_, prepared->formula.tokens, prepared->is_fixed);
    Fit fit = fitter_.fit(program, in_formula(*prepared, best->constants), 0);
    if (fit.status == FitStatus::NonFinite || !fit.is_allowed || !std::isfinite(fit.squares)) return {};
    return {{prepared->formula.tokens, fit.constants}, prepared->is_fixed, std::move(fit)};
  }

 private:
  static FitOptions fit_options(const StructureFitOptions& options) {
    FitOptions made;
    made.max_steps = options.max_steps, made.tolerance = options.tolerance;
    made.measures_information = true, made.tries_ratios = true;
    return made;
  }

  static FitOptions scale_options(const StructureFitOptions& options) {
    FitOptions made = fit_options(options);
    made.measures_information = false, made.is_scale_free = true;
    return made;
  }

  // Returns the best minimum that is reached from several starts. Two that reach the best are enough.
  std::optional<Descent> descend(const Structure& structure, const Prepared& prepared, std::uint32_t key) {
    const std::vector<std::vector<double>> starts =
        starts_.best(structure, options_.seed, key, options_.n_starts);
    const Scaled parts = is_squared_ ? scaled(structure) : Scaled{};
    std::optional<Prepared> inner;
    if (parts.n_outer > 0) inner = prepare(vocabulary_, parts.inner);
    const Prepared& fitted = inner ? *inner : prepared;
    const Program program = compile(vocabulary_, fitted.formula.tokens, fitted.is_fixed);
    std::optional<Descent> best;
    int n_same = 0;
    for (const std::vector<double>& start : starts) {
      const std::optional<Descent> found =
          inner ? inner_descent(parts, fitted, program, start) : whole_descent(fitted, program, start);
      if (!found) continue;
      if (best && std::fabs(found->squares - best->squares) <= SAME_MINIMUM * best->squares) ++n_same;
      if (best && found->squares < (1.0 - SAME_MINIMUM) * best->squares) n_same = 0;
      if (!best || found->squares < best->squares) best = found;
      if (n_same == 2) break;
    }
    return best;
  }

  std::optional<Descent> whole_descent(const Prepared& prepared, const Program& program,
                                       const std::vector<double>& start) {
    return descent_of(prepared, fitter_.fit(program, in_formula(prepared, start), 0), start.size());
  }

  // Fits f of c * f or c + c * f, with the optimal outer constants.
  std::optional<Descent> inner_descent(const Scaled& parts, const Prepared& inner, const Program& program,
                                       const std::vector<double>& start) {
    const std::vector<double> rest(start.begin() + static_cast<std::ptrdiff_t>(parts.n_outer), start.end());
    Fitter& fitter = parts.n_outer == 2 ? shifter_ : scaler_;
    const Fit fit = fitter.fit(program, in_formula(inner, rest), 0);
    std::optional<Descent> found = descent_of(inner, fit, rest.size());
    if (!found) return {};
    std::vector<double>& constants = found->constants;
    constants.insert(constants.begin(), parts.is_subtracted ? -fit.scale : fit.scale);
    if (parts.n_outer == 2) constants.insert(constants.begin(), fit.offset);
    return found;
  }

  bool has_consistent_units(const Prepared& prepared) const {
    if (options_.units == nullptr) return true;
    std::vector<double> constants = prepared.formula.constants;
    for (std::size_t i = 0; i < constants.size(); ++i)
      if (prepared.is_fixed[i] == 0) constants[i] = std::numeric_limits<double>::quiet_NaN();
    return !find_unit_flaw(vocabulary_, *options_.units, prepared.formula.tokens, constants);
  }

  static std::vector<double> in_formula(const Prepared& prepared, const std::vector<double>& constants) {
    std::vector<double> ordered = prepared.formula.constants;
    for (std::size_t i = 0; i < ordered.size(); ++i)
      if (prepared.fitted[i] >= 0) ordered[i] = constants[static_cast<std::size_t>(prepared.fitted[i])];
    return ordered;
  }

  static std::optional<Descent> descent_of(const Prepared& prepared, const Fit& fit, std::size_t n) {
    if (fit.status == FitStatus::NonFinite || !fit.is_allowed || !std::isfinite(fit.squares)) return {};
    Descent found{std::vector<double>(n), fit.squares};
    for (std::size_t i = 0; i < prepared.fitted.size(); ++i)
      if (prepared.fitted[i] >= 0)
        found.constants[static_cast<std::size_t>(prepared.fitted[i])] = fit.constants[i];
    return found;
  }

  const Vocabulary& vocabulary_;
  const StructureFitOptions options_;
  const bool is_squared_;
  const Dataset without_offset_, with_offset_;
  Fitter fitter_;            // of whole structures
  Fitter scaler_, shifter_;  // with an optimal scale, and with an optimal scale and offset
  Starts starts_;
  std::size_t n_rows_;
};

}  // namespace

std::vector<FittedStructure> fit_structures(const Vocabulary& vocabulary,
                                            std::span<const PricedStructure> structures, const Dataset& data,
                                            const StructureFitOptions& options, int n_threads) {
  std::vector<FittedStructure> fitted(structures.size());
  parallel_with(structures.size(), n_threads, AT_A_TIME, [&] {
    return [&, fitter = std::make_unique<StructureFitter>(vocabulary, data, options)](std::size_t i) {
      fitted[i] = fitter->fit(structures[i].structure, static_cast<std::uint32_t>(options.first + i));
    };
  });
  return fitted;
}

}  // namespace ddsr

#include "price/fitting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "parallel.hpp"
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

class StructureFitter {
 public:
  StructureFitter(const Vocabulary& vocabulary, const Dataset& data, const StructureFitOptions& options)
      : vocabulary_(vocabulary),
        options_(options),
        fitter_(data, fit_options(options)),
        starts_(data),
        n_rows_(data.n_rows()) {}

  FittedStructure fit(const Structure& structure, std::uint32_t key) {
    std::optional<Prepared> prepared = prepare(vocabulary_, structure);
    if (!prepared) return {};
    const auto n_free = static_cast<std::size_t>(
        std::count(prepared->is_fixed.begin(), prepared->is_fixed.end(), std::uint8_t{0}));
    if (n_free >= n_rows_ || !has_consistent_units(*prepared)) return {};
    const Program program = compile(vocabulary_, prepared->formula.tokens, prepared->is_fixed);
    FittedStructure best;
    int n_same = 0;
    const int n_starts = n_free == 0 ? 1 : options_.n_starts;
    for (int start = 0; start < n_starts && n_same < 2; ++start) {
      const std::vector<double> drawn = constants(*prepared, structure, key, start);
      if (!std::all_of(drawn.begin(), drawn.end(), [](double value) { return std::isfinite(value); }))
        continue;
      Fit fit = fitter_.fit(program, drawn, 0);
      if (fit.status == FitStatus::NonFinite || !std::isfinite(fit.squares)) continue;
      const bool is_first = best.formula.tokens.empty();
      if (!is_first && std::fabs(fit.squares - best.fit.squares) <= SAME_MINIMUM * best.fit.squares) ++n_same;
      if (is_first || fit.squares < best.fit.squares) {
        if (!is_first && fit.squares < (1.0 - SAME_MINIMUM) * best.fit.squares) n_same = 0;
        best = {{prepared->formula.tokens, fit.constants}, prepared->is_fixed, std::move(fit)};
      }
    }
    return best;
  }

 private:
  static FitOptions fit_options(const StructureFitOptions& options) {
    FitOptions made;
    made.max_steps = options.max_steps, made.tolerance = options.tolerance;
    made.measures_information = true;
    return made;
  }

  bool has_consistent_units(const Prepared& prepared) const {
    if (options_.units == nullptr) return true;
    std::vector<double> constants = prepared.formula.constants;
    for (std::size_t i = 0; i < constants.size(); ++i)
      if (prepared.is_fixed[i] == 0) constants[i] = std::numeric_limits<double>::quiet_NaN();
    return !find_unit_flaw(vocabulary_, *options_.units, prepared.formula.tokens, constants);
  }

  std::vector<double> constants(const Prepared& prepared, const Structure& structure, std::uint32_t key,
                                int start) {
    const std::vector<double> drawn = starts_.draw(structure, options_.seed, key, start);
    std::vector<double> ordered = prepared.formula.constants;
    for (std::size_t i = 0; i < ordered.size(); ++i)
      if (prepared.fitted[i] >= 0) ordered[i] = drawn[static_cast<std::size_t>(prepared.fitted[i])];
    return ordered;
  }

  const Vocabulary& vocabulary_;
  const StructureFitOptions options_;
  Fitter fitter_;
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

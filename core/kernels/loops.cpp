// Compiled once for each instruction set, into the namespace named by DDSR_ISA.
#include <cmath>
#include <iterator>
#include <memory>

#include "kernels/exponential.hpp"
#include "kernels/kernels.hpp"
#include "kernels/network.hpp"
#include "kernels/perturbation.hpp"
#include "kernels/vector_math.hpp"

// Declares that vector versions of these functions exist; vector_math.cpp defines them.
#ifdef DDSR_VECTOR_MATH
extern "C" {
#define UNARY(name) __attribute__((simd("notinbranch"))) double name(double) noexcept;
#define BINARY(name) __attribute__((simd("notinbranch"))) double name(double, double) noexcept;
DDSR_VECTOR_FUNCTIONS(UNARY, BINARY)
#undef UNARY
#undef BINARY
}
#endif

namespace ddsr::DDSR_ISA {
namespace {

template <typename T>
T* aligned(T* pointer) {
  return std::assume_aligned<64>(pointer);
}

inline int whole_lanes(int n) { return n / LANES * LANES; }

// Whether IEEE 754 defines the value to the last bit, so that it is the same on every processor.
constexpr bool is_rounded_alike(Op op) {
  switch (op) {
    case Op::Pow:
    case Op::Sin:
    case Op::Cos:
    case Op::Log:
    case Op::Exp:
    case Op::Tan:
    case Op::Tanh:
    case Op::Asin:
    case Op::Acos:
    case Op::Atan:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Erf:
    case Op::Gamma:
    case Op::Logistic:
    case Op::Atan2:
    case Op::Hypot:
      return false;
    default:
      return true;
  }
}

// d a^b/da. b*v/a saves a second power, but 0 has to be handled separately.
inline double power_slope(double v, double a, double b) {
  const double at_zero = b == 1.0 ? 1.0 : (b > 1.0 || b == 0.0 ? 0.0 : INFINITY);
  return a != 0.0 ? b * v / a : at_zero;
}

// x over the squares of a vector's parts; 0 for the null vector.
inline double over_squares(double x, double a, double b) {
  const double squares = a * a + b * b;
  return squares != 0.0 ? x / squares : 0.0;
}

#define ROW(id, name, symbol, arity, precedence, commutative, hides, undoes, parity, trend, domain, range, \
            period, degree, numpy, sympy, latex, VALUE, SLOPE_A, SLOPE_B)                                  \
  void value_##id(double* __restrict out_, const double* a_, const double* b_, int n) {                    \
    double* out = aligned(out_);                                                                           \
    const double *pa = aligned(a_), *pb = aligned(b_);                                                     \
    for (int i = 0; i < whole_lanes(n); ++i) {                                                             \
      const double a = pa[i];                                                                              \
      [[maybe_unused]] const double b = arity == 2 ? pb[i] : 0.0;                                          \
      const double value = VALUE;                                                                          \
      out[i] = is_rounded_alike(Op::id) ? value : perturbed(value, a, b);                                  \
    }                                                                                                      \
  }                                                                                                        \
  void slope_a_##id(double* __restrict out_, const double* adjoint_, const double* v_, const double* a_,   \
                    const double* b_, int n) {                                                             \
    double* out = aligned(out_);                                                                           \
    const double *adjoint = aligned(adjoint_), *pv = aligned(v_), *pa = aligned(a_), *pb = aligned(b_);    \
    for (int i = 0; i < whole_lanes(n); ++i) {                                                             \
      [[maybe_unused]] const double v = pv[i], a = pa[i], b = arity == 2 ? pb[i] : 0.0;                    \
      out[i] = perturbed(adjoint[i] * (SLOPE_A), a, b);                                                    \
    }                                                                                                      \
  }                                                                                                        \
  void slope_b_##id(double* __restrict out_, const double* adjoint_, const double* v_, const double* a_,   \
                    const double* b_, int n) {                                                             \
    double* out = aligned(out_);                                                                           \
    const double *adjoint = aligned(adjoint_), *pv = aligned(v_), *pa = aligned(a_), *pb = aligned(b_);    \
    for (int i = 0; i < whole_lanes(n); ++i) {                                                             \
      [[maybe_unused]] const double v = pv[i], a = pa[i], b = arity == 2 ? pb[i] : 0.0;                    \
      out[i] = perturbed(adjoint[i] * (SLOPE_B), a, b);                                                    \
    }                                                                                                      \
  }
DDSR_OPERATORS(ROW)
#undef ROW

template <int EXPONENT>
inline double raised(double a) {
  if constexpr (EXPONENT == 0) return 1.0;
  if constexpr (EXPONENT == 1) return a;
  if constexpr (EXPONENT >= 2) {
    const double half = raised<EXPONENT / 2>(a);
    return EXPONENT % 2 ? half * half * a : half * half;
  }
  return 1.0;
}

template <int EXPONENT>
void raise(double* __restrict out_, const double* a_, bool inverted, int n) {
  double* out = aligned(out_);
  const double* a = aligned(a_);
  if (inverted)
    for (int i = 0; i < whole_lanes(n); ++i) out[i] = 1.0 / raised<EXPONENT>(a[i]);
  else
    for (int i = 0; i < whole_lanes(n); ++i) out[i] = raised<EXPONENT>(a[i]);
}

void integer_power(double* out, const double* a, int exponent, int n) {
  using Raise = void (*)(double*, const double*, bool, int);
  static constexpr Raise RAISE[] = {raise<0>, raise<1>, raise<2>, raise<3>, raise<4>,
                                    raise<5>, raise<6>, raise<7>, raise<8>};
  static_assert(std::size(RAISE) == MAX_INTEGER_POWER + 1);
  RAISE[exponent < 0 ? -exponent : exponent](out, a, exponent < 0, n);
}

// Four running sums of LANES each, so that additions need not wait for each other; then the remainder.
template <typename Term>
inline double reduce(int n, Term term) {
  double sums[4 * LANES] = {};
  int i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    for (int lane = 0; lane < 4 * LANES; ++lane) sums[lane] += term(i + lane);
  for (; i + LANES <= n; i += LANES)
    for (int lane = 0; lane < LANES; ++lane) sums[lane] += term(i + lane);
  double total = 0.0;
  for (int lane = 0; lane < 4 * LANES; ++lane) total += sums[lane];
  for (; i < n; ++i) total += term(i);
  return total;
}

double sum(const double* v_, int n) {
  const double* v = aligned(v_);
  const double total = reduce(n, [=](int i) { return v[i]; });
  return perturbed(total, total);
}

double dot(const double* a_, const double* b_, int n) {
  const double *a = aligned(a_), *b = aligned(b_);
  const double total = reduce(n, [=](int i) { return a[i] * b[i]; });
  return perturbed(total, total);
}

// 0 * v is 0 for every finite v and NaN for all others.
bool all_finite(const double* v_, int n) {
  const double* v = aligned(v_);
  return reduce(n, [=](int i) { return 0.0 * v[i]; }) == 0.0;
}

bool any_negative(const double* v_, int n) {
  const double* v = aligned(v_);
  return reduce(n, [=](int i) { return v[i] < 0.0 ? 1.0 : 0.0; }) > 0.0;
}

double residual(double* __restrict out_, const double* y_, const double* f_, double scale, double offset,
                const double* root_weight, int n) {
  double* out = aligned(out_);
  const double *y = aligned(y_), *f = aligned(f_);
  for (int i = 0; i < n; ++i) out[i] = y[i] - perturbed(scale * f[i], scale, f[i]) - offset;
  if (root_weight != nullptr)
    for (int i = 0; i < n; ++i) out[i] *= root_weight[i];
  return dot(out, out, n);
}

void weigh(float* __restrict all_weights, float* __restrict largest, const float* __restrict all_logits,
           const int* __restrict rows, int n, int n_tokens, int stride) {
  constexpr int WIDTH = 16;
  for (int i = 0; i < n; ++i) {
    const int row = rows[i];
    float* __restrict weights = all_weights + row * stride;
    const float* __restrict logits = all_logits + row * n_tokens;
    float highest[WIDTH];
    for (float& h : highest) h = -INFINITY;
    // Read again below instead of kept: a wide load of values just written by narrow stores would stall.
    auto logit = [=](int k) { return k < n_tokens ? logits[k] : -INFINITY; };
    for (int k = 0; k < stride; k += WIDTH) {
#pragma omp simd
      for (int lane = 0; lane < WIDTH; ++lane)
        highest[lane] = logit(k + lane) > highest[lane] ? logit(k + lane) : highest[lane];
    }
    auto fold = [&](int half) {
      for (int lane = 0; lane < half; ++lane)
        highest[lane] = highest[lane + half] > highest[lane] ? highest[lane + half] : highest[lane];
    };
    fold(8), fold(4), fold(2), fold(1);
    largest[row] = highest[0];
    for (int k = 0; k < stride; k += WIDTH) {
#pragma omp simd
      for (int lane = 0; lane < WIDTH; ++lane)
        weights[k + lane] = exp_of_negative(logit(k + lane) - highest[0]);
    }
  }
}

void correlate(float* __restrict sums, const float* __restrict table, const float* __restrict w,
               const float* __restrict v, const float* __restrict u, int n_rows, int n_blocks) {
  constexpr int WIDTH = 16;
  for (int block = 0; block < n_blocks; ++block, table += n_rows * WIDTH, sums += 4 * WIDTH) {
    float first[WIDTH] = {}, second[WIDTH] = {}, with_v[WIDTH] = {}, with_u[WIDTH] = {};
    for (int row = 0; row < n_rows; ++row) {
#pragma omp simd
      for (int lane = 0; lane < WIDTH; ++lane) {
        const float s = table[row * WIDTH + lane], weighted = w[row] * s;
        first[lane] += weighted;
        second[lane] += weighted * s;
        with_v[lane] += v[row] * s;
        with_u[lane] += u[row] * s;
      }
    }
    for (int lane = 0; lane < WIDTH; ++lane) {
      sums[lane] = perturbed(first[lane], first[lane]);
      sums[WIDTH + lane] = perturbed(second[lane], second[lane]);
      sums[2 * WIDTH + lane] = perturbed(with_v[lane], with_v[lane]);
      sums[3 * WIDTH + lane] = perturbed(with_u[lane], with_u[lane]);
    }
  }
}

}  // namespace

extern const NetworkKernels NETWORK_KERNELS;
extern const Kernels KERNELS;
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
const Kernels KERNELS = {
    TEXT(DDSR_ISA),        PERTURBATION,
#define ROW(id, ...) value_##id,
    {DDSR_OPERATORS(ROW)},
#undef ROW
#define ROW(id, ...) slope_a_##id,
    {DDSR_OPERATORS(ROW)},
#undef ROW
#define ROW(id, ...) slope_b_##id,
    {DDSR_OPERATORS(ROW)},
#undef ROW
    integer_power,         all_finite,   any_negative, sum, dot, residual, weigh, correlate,
    &NETWORK_KERNELS};

}  // namespace ddsr::DDSR_ISA

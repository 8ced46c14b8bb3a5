// Compiled once for each instruction set, into the namespace named by DDSR_ISA: see vector_math.hpp.
#include "kernels/vector_math.hpp"

#include <cmath>

#if defined(__AVX512F__)
#define NAME_OF(kind, name) _ZGVeN8##kind##_##name
#elif defined(__AVX2__)
#define NAME_OF(kind, name) _ZGVdN4##kind##_##name
#else
#define NAME_OF(kind, name) _ZGVbN2##kind##_##name
#endif

namespace ddsr::DDSR_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int WIDTH = 8;
#elif defined(__AVX2__)
constexpr int WIDTH = 4;
#else
constexpr int WIDTH = 2;
#endif

// Passed in registers as libmvec expects it.
typedef double Vector __attribute__((vector_size(WIDTH * sizeof(double))));

template <double (*FUNCTION)(double)>
Vector by_lane(Vector x) {
  Vector result = {};
  for (int lane = 0; lane < WIDTH; ++lane) result[lane] = FUNCTION(x[lane]);
  return result;
}

template <double (*FUNCTION)(double, double)>
Vector by_lane(Vector x, Vector y) {
  Vector result = {};
  for (int lane = 0; lane < WIDTH; ++lane) result[lane] = FUNCTION(x[lane], y[lane]);
  return result;
}

#define UNARY(name) Vector (*name##_in_use)(Vector) = by_lane<::name>;
#define BINARY(name) Vector (*name##_in_use)(Vector, Vector) = by_lane<::name>;
DDSR_VECTOR_FUNCTIONS(UNARY, BINARY)
#undef UNARY
#undef BINARY

}  // namespace

// Hidden, so that nothing else in the process calls them, and so that they do not hide those of the library.
extern "C" {
#define UNARY(name) \
  __attribute__((visibility("hidden"))) Vector NAME_OF(v, name)(Vector x) { return name##_in_use(x); }
#define BINARY(name)                                                                   \
  __attribute__((visibility("hidden"))) Vector NAME_OF(vv, name)(Vector x, Vector y) { \
    return name##_in_use(x, y);                                                        \
  }
DDSR_VECTOR_FUNCTIONS(UNARY, BINARY)
#undef UNARY
#undef BINARY
}

extern void use_library(void* library, FindFunction find);
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
void use_library(void* library, FindFunction find) {
#define TAKE(kind, name)                                      \
  if (void* found = find(library, TEXT(NAME_OF(kind, name)))) \
    name##_in_use = reinterpret_cast<decltype(name##_in_use)>(found);
#define UNARY(name) TAKE(v, name)
#define BINARY(name) TAKE(vv, name)
  DDSR_VECTOR_FUNCTIONS(UNARY, BINARY)
#undef UNARY
#undef BINARY
#undef TAKE
}

}  // namespace ddsr::DDSR_ISA

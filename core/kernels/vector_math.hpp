// The vector math library of the C library (libmvec), looked up at run time.
//
// The compiler turns sin(x) in a loop into calls of vector functions such as _ZGVdN4v_sin. glibc has those of
// sin, cos, exp, log and pow since 2.22, the others since 2.35, and musl has none. A core linked to them
// would load on few systems. So vector_math.cpp defines all of them: each jumps to the function of the
// library where there is one, which costs as much as a call of a shared library, and else calls the scalar
// function for each lane.
#pragma once

#include <vector>

// Columns: the name in C, for functions of one operand and of two.
#define DDSR_VECTOR_FUNCTIONS(UNARY, BINARY) \
  UNARY(sin)                                 \
  UNARY(cos)                                 \
  UNARY(exp)                                 \
  UNARY(log)                                 \
  UNARY(tan)                                 \
  UNARY(tanh)                                \
  UNARY(asin)                                \
  UNARY(acos)                                \
  UNARY(atan)                                \
  UNARY(sinh)                                \
  UNARY(cosh)                                \
  UNARY(erf)                                 \
  BINARY(pow)                                \
  BINARY(atan2)                              \
  BINARY(hypot)

namespace ddsr {

// The function of the library `library` with this name, or null.
using FindFunction = void* (*)(void* library, const char* name);

// What the kernels can use on this machine, the preferred one last: "scalar", and "libmvec" where it is
// found.
std::vector<const char*> available_vector_math();

// The preferred one, or the one named by the environment variable DDSR_VECTOR_MATH. An unknown name throws.
// The first call makes the kernels use it.
const char* vector_math();

}  // namespace ddsr

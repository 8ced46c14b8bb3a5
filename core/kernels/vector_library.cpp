#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/vector_math.hpp"

#ifdef DDSR_VECTOR_MATH
#include <dlfcn.h>
#endif

namespace ddsr {

#ifdef DDSR_VECTOR_MATH
namespace baseline {
void use_library(void* library, FindFunction find);
}
#ifdef DDSR_X86
namespace avx2 {
void use_library(void* library, FindFunction find);
}
namespace avx512 {
void use_library(void* library, FindFunction find);
}
#endif
#endif

namespace {

constexpr const char* VARIABLE = "DDSR_VECTOR_MATH";
constexpr const char *SCALAR = "scalar", *LIBRARY = "libmvec";

// Never closed: the kernels keep pointers to its functions.
void* library() {
#ifdef DDSR_VECTOR_MATH
  static void* const opened = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return opened;
#else
  return nullptr;
#endif
}

const char* chosen() {
  const std::vector<const char*> available = available_vector_math();
  const char* wanted = std::getenv(VARIABLE);
  if (wanted == nullptr || *wanted == '\0') return available.back();
  std::string names;
  for (const char* name : available) {
    if (std::string_view(name) == wanted) return name;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw std::runtime_error(std::string("unknown vector math ") + VARIABLE + "=" + wanted +
                           ": this machine has " + names + "; choose one of them, or unset the variable");
}

const char* set_up() {
  const char* name = chosen();
#ifdef DDSR_VECTOR_MATH
  if (std::string_view(name) == LIBRARY) {
    baseline::use_library(library(), dlsym);
#ifdef DDSR_X86
    avx2::use_library(library(), dlsym);
    avx512::use_library(library(), dlsym);
#endif
  }
#endif
  return name;
}

}  // namespace

std::vector<const char*> available_vector_math() {
  if (library() == nullptr) return {SCALAR};
  return {SCALAR, LIBRARY};
}

const char* vector_math() {
  static const char* const name = set_up();
  return name;
}

}  // namespace ddsr

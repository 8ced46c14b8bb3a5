#include "kernels/kernels.hpp"

namespace ddsr {

namespace baseline {
extern const Kernels KERNELS;
}
#ifdef DDSR_X86
namespace avx2 {
extern const Kernels KERNELS;
}
namespace avx512 {
extern const Kernels KERNELS;
}
#endif

const Kernels& kernels() {
  static const Kernels& chosen = []() -> const Kernels& {
#ifdef DDSR_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
      return avx512::KERNELS;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::KERNELS;
#endif
    return baseline::KERNELS;
  }();
  return chosen;
}

}  // namespace ddsr

#include "kernels/kernels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/network.hpp"
#include "kernels/vector_math.hpp"
#include "portability/processor.hpp"

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

namespace {

constexpr const char* VARIABLE = "DDSR_KERNELS";

const Kernels& chosen_kernels() {
  const std::vector<const Kernels*> available = available_kernels();
  const char* wanted = std::getenv(VARIABLE);
  if (wanted == nullptr || *wanted == '\0') return *available.back();
  std::string names;
  for (const Kernels* set : available) {
    if (std::string_view(set->instruction_set) == wanted) return *set;
    names += (names.empty() ? "" : ", ") + std::string(set->instruction_set);
  }
  throw std::runtime_error(std::string("unknown kernels ") + VARIABLE + "=" + wanted +
                           ": this machine can run " + names + "; choose one of them, or unset the variable");
}

}  // namespace

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> available = {&baseline::KERNELS};
#ifdef DDSR_X86
  if (runs_x86_64_v3()) available.push_back(&avx2::KERNELS);
  if (runs_x86_64_v4()) available.push_back(&avx512::KERNELS);
#endif
  return available;
}

const Kernels& kernels() {
  vector_math();
  static const Kernels& chosen = chosen_kernels();
  return chosen;
}

const NetworkKernels& network_kernels() { return *kernels().network; }

}  // namespace ddsr

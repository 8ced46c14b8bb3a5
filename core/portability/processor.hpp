// Which instructions this machine can run: asked of the processor itself, so that it works with every
// compiler.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)

#include <array>
#include <cstdint>

namespace ddsr {

// The registers eax, ebx, ecx and edx that the instruction cpuid gives. In assembler, because the headers
// that have it differ: clang-cl has those of two compilers, which contradict each other.
inline std::array<std::uint32_t, 4> cpuid(std::uint32_t leaf) {
  auto ask = [](std::uint32_t number) {
    std::array<std::uint32_t, 4> found;
    __asm__("cpuid" : "=a"(found[0]), "=b"(found[1]), "=c"(found[2]), "=d"(found[3]) : "a"(number), "c"(0));
    return found;
  };
  const std::uint32_t last = ask(leaf & 0x80000000u)[0];
  if (leaf > last) return {};  // this processor does not have the leaf
  return ask(leaf);
}

// The registers that the operating system saves; those it does not save must not be used.
inline std::uint32_t saved_registers() {
  constexpr std::uint32_t OSXSAVE = 1u << 27;
  if ((cpuid(1)[2] & OSXSAVE) == 0) return 0;
  std::uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

inline bool has_all(std::uint32_t bits, std::uint32_t wanted) { return (bits & wanted) == wanted; }

// All instructions of the level x86-64-v3: AVX2, FMA and smaller ones.
inline bool runs_x86_64_v3() {
  constexpr std::uint32_t FMA = 1u << 12, MOVBE = 1u << 22, AVX = 1u << 28, F16C = 1u << 29;
  constexpr std::uint32_t BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8, LZCNT = 1u << 5;
  constexpr std::uint32_t SAVES_YMM = 0b110;
  return has_all(cpuid(1)[2], FMA | MOVBE | AVX | F16C) && has_all(cpuid(7)[1], BMI1 | AVX2 | BMI2) &&
         has_all(cpuid(0x80000001)[2], LZCNT) && has_all(saved_registers(), SAVES_YMM);
}

// All instructions of the level x86-64-v4: five parts of AVX-512.
inline bool runs_x86_64_v4() {
  constexpr std::uint32_t F = 1u << 16, DQ = 1u << 17, CD = 1u << 28, BW = 1u << 30, VL = 1u << 31;
  constexpr std::uint32_t SAVES_ZMM = 0b11100110;
  return runs_x86_64_v3() && has_all(cpuid(7)[1], F | DQ | CD | BW | VL) &&
         has_all(saved_registers(), SAVES_ZMM);
}

}  // namespace ddsr

#endif

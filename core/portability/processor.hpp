// Which instructions this machine can run: asked of the processor itself, so that it works with every
// compiler.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)

#include <array>
#include <cstdint>

#ifdef _MSC_VER
#include <intrin.h>
#else
#include <cpuid.h>
#endif

namespace ddsr {

// The four registers eax, ebx, ecx and edx that the instruction cpuid gives; 0 for a leaf that there is not.
inline std::array<std::uint32_t, 4> cpuid(std::uint32_t leaf) {
#ifdef _MSC_VER
  int found[4];
  __cpuid(found, static_cast<int>(leaf & 0x80000000u));
  if (static_cast<std::uint32_t>(found[0]) < leaf) return {};
  __cpuidex(found, static_cast<int>(leaf), 0);
  return {static_cast<std::uint32_t>(found[0]), static_cast<std::uint32_t>(found[1]),
          static_cast<std::uint32_t>(found[2]), static_cast<std::uint32_t>(found[3])};
#else
  std::array<std::uint32_t, 4> found = {};
  if (!__get_cpuid_count(leaf, 0, &found[0], &found[1], &found[2], &found[3])) return {};
  return found;
#endif
}

// The registers that the operating system saves; those it does not save must not be used.
inline std::uint32_t saved_registers() {
  constexpr std::uint32_t OSXSAVE = 1u << 27;
  if ((cpuid(1)[2] & OSXSAVE) == 0) return 0;
#ifdef _MSC_VER
  return static_cast<std::uint32_t>(_xgetbv(0));
#else
  std::uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
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

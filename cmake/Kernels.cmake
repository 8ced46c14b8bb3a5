# Builds the loops in core/kernels/ as one object library for each instruction set that the compiler supports.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# Whether the compiler calls vector functions by the names that glibc's vector math library has on x86-64. The
# core defines them itself (core/kernels/vector_math.hpp), so the library is not needed to build it.
check_cxx_source_compiles("
  #if !defined(__GNUC__) || defined(__clang__) || !defined(__x86_64__) || !__has_include(<dlfcn.h>)
  #error
  #endif
  extern \"C\" __attribute__((simd(\"notinbranch\"))) double sin(double) noexcept;
  int main() { return sin(1.0) < 0.0; }" DDSR_HAS_VECTOR_MATH)

ddsr_flags(V4_FLAG -march=x86-64-v4)
check_cxx_compiler_flag(${V4_FLAG} DDSR_KNOWS_V4)

add_library(ddsr_kernels INTERFACE)
set(DDSR_KERNEL_TARGETS "")

function(ddsr_add_kernels name)
  set(target ddsr_kernels_${name})
  add_library(${target} OBJECT core/kernels/loops.cpp core/kernels/network_loops.cpp
    $<$<BOOL:${DDSR_HAS_VECTOR_MATH}>:core/kernels/vector_math.cpp>)
  target_include_directories(${target} PRIVATE core)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  # Without errno and traps the loops vectorise. Finite-math stays off: infinities and NaN must be detected.
  ddsr_flags(flags -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -Wall -Wextra ${ARGN})
  target_compile_options(${target} PRIVATE ${flags})
  target_compile_definitions(${target} PRIVATE DDSR_ISA=${name}
    $<$<BOOL:${DDSR_HAS_VECTOR_MATH}>:DDSR_VECTOR_MATH>
    $<$<BOOL:${DDSR_PERTURB}>:DDSR_PERTURB=${DDSR_PERTURB}>)
  target_link_libraries(ddsr_kernels INTERFACE ${target} $<TARGET_OBJECTS:${target}>)
  set(DDSR_KERNEL_TARGETS ${DDSR_KERNEL_TARGETS} ${target} PARENT_SCOPE)
endfunction()

ddsr_add_kernels(baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND DDSR_KNOWS_V4)
  ddsr_add_kernels(avx2 -march=x86-64-v3)
  ddsr_add_kernels(avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  target_compile_definitions(ddsr_kernels INTERFACE DDSR_X86)
endif()
if(DDSR_HAS_VECTOR_MATH)
  target_compile_definitions(ddsr_kernels INTERFACE DDSR_VECTOR_MATH)
  target_link_libraries(ddsr_kernels INTERFACE ${CMAKE_DL_LIBS})
endif()

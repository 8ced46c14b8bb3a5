# Builds the loops in core/kernels/ as one object library for each instruction set that the compiler supports.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# glibc's vector math library: sin, cos, exp, log and pow since 2.22, the rest since 2.35.
set(CMAKE_REQUIRED_LIBRARIES mvec m)
set(VECTOR_MATH_PROBE "extern \"C\" __attribute__((simd(\"notinbranch\"))) double NAME(double) noexcept;
  __attribute__((optimize(\"O3,no-math-errno\"))) void all(double* v) { for (int i = 0; i < 64; ++i) v[i] = NAME(v[i]); }
  extern \"C\" void SYMBOL(); int main() { return (void*)&SYMBOL == nullptr; }")
string(REPLACE NAME sin PROBE "${VECTOR_MATH_PROBE}")
string(REPLACE SYMBOL _ZGVbN2v_sin PROBE "${PROBE}")
check_cxx_source_compiles("${PROBE}" DDSR_HAS_VECTOR_MATH)
string(REPLACE NAME tanh PROBE "${VECTOR_MATH_PROBE}")
string(REPLACE SYMBOL _ZGVbN2v_tanh PROBE "${PROBE}")
check_cxx_source_compiles("${PROBE}" DDSR_HAS_MORE_VECTOR_MATH)
unset(CMAKE_REQUIRED_LIBRARIES)

check_cxx_compiler_flag(-march=x86-64-v4 DDSR_KNOWS_V4)

add_library(ddsr_kernels INTERFACE)
set(DDSR_KERNEL_TARGETS "")

function(ddsr_add_kernels name)
  set(target ddsr_kernels_${name})
  add_library(${target} OBJECT core/kernels/loops.cpp core/kernels/network_loops.cpp)
  target_include_directories(${target} PRIVATE core)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  # Without errno and traps the loops vectorise. Finite-math stays off: infinities and NaN must be detected.
  target_compile_options(${target} PRIVATE -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -Wall -Wextra
    ${ARGN})
  target_compile_definitions(${target} PRIVATE DDSR_ISA=${name}
    $<$<BOOL:${DDSR_HAS_VECTOR_MATH}>:DDSR_VECTOR_MATH>
    $<$<BOOL:${DDSR_HAS_MORE_VECTOR_MATH}>:DDSR_MORE_VECTOR_MATH>
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
  target_link_libraries(ddsr_kernels INTERFACE mvec m)
endif()

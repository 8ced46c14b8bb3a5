# Flags of g++ and clang++, written as the compiler in use takes them: clang-cl takes those after /clang:.
if(CMAKE_CXX_COMPILER_ID STREQUAL "MSVC")
  message(FATAL_ERROR "ddsr is built by g++, clang++ or clang-cl: on Windows, set CMAKE_GENERATOR_TOOLSET=ClangCL")
endif()

function(ddsr_flags variable)
  set(flags ${ARGN})
  if(CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
    list(TRANSFORM flags PREPEND "/clang:")
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

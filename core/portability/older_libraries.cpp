// Functions that the headers of newer compilers call, but that the C and C++ libraries of older systems lack.
// A build with -DDDSR_OLDER_SYSTEMS=ON (older_glibc.hpp) uses these in place of the libraries'.
#include <exception>
#include <new>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32: whether the process has a single thread, so that counts need no lock. No is always safe.
extern "C" HIDDEN constinit const char __libc_single_threaded = 0;

// GCC 11
namespace std {
HIDDEN void __throw_bad_array_new_length() { throw bad_array_new_length(); }
}  // namespace std

// GCC 12 calls these from inline copies and ends of std::exception_ptr; before, copies and ends were
// functions of the library. These call them by their names in it: the constructor of a copy, and the
// destructor.
extern "C" {
void copy_exception(void* copy,
                    const void* original) __asm__("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
void end_exception(void* pointer) __asm__("_ZNSt15__exception_ptr13exception_ptrD1Ev");

HIDDEN void add_reference(void* pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void add_reference(void* pointer) {
  void* copy;  // never ended, so its reference stays
  copy_exception(&copy, pointer);
}

HIDDEN void release(void* pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void release(void* pointer) {
  end_exception(pointer);
  *static_cast<void**>(pointer) = nullptr;
}
}

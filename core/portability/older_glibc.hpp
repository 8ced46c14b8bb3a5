// Included first in every file of a build with -DDDSR_OLDER_SYSTEMS=ON, which runs on Linux systems older
// than the one that builds it: back to glibc 2.28 and GCC 8, as manylinux_2_28 asks.
//
// glibc has several versions of a function, and a program is linked to the newest, which older systems lack.
// These lines link it to the oldest. The values are the same; the older ones also set errno.
#pragma once

#if defined(__has_include)
#if __has_include(<features.h>)
#include <features.h>  // defines __GLIBC__ where there is one
#endif
#endif

#ifdef __GLIBC__
#if defined(__x86_64__)
#define DDSR_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define DDSR_OLDEST "GLIBC_2.17"
#endif
#endif

#ifdef DDSR_OLDEST
__asm__(".symver exp, exp@" DDSR_OLDEST);
__asm__(".symver log, log@" DDSR_OLDEST);
__asm__(".symver pow, pow@" DDSR_OLDEST);
__asm__(".symver hypot, hypot@" DDSR_OLDEST);
__asm__(".symver dlopen, dlopen@" DDSR_OLDEST);
__asm__(".symver dlsym, dlsym@" DDSR_OLDEST);
#endif

#pragma once

/// The vector type that the kernels of one instruction-set level are written in. Which one it is
/// follows from the compiler flags of the translation unit; LEGATO_CPU_LEVEL names the namespace,
/// so that the code of two levels never meets in the linker. Everything here is of internal
/// linkage for the same reason: a shared inline function compiled with AVX-512 could be the copy
/// that a machine without it runs.
#ifndef LEGATO_CPU_LEVEL
#define LEGATO_CPU_LEVEL sse2
#endif

#if defined(__AVX512F__)
#include "kernels/cpu/simd/avx512.h"  // IWYU pragma: export
#elif defined(__AVX2__)
#include "kernels/cpu/simd/avx2.h"  // IWYU pragma: export
#else
#include "kernels/cpu/simd/sse2.h"  // IWYU pragma: export
#endif

#pragma once

#include "kernels/cpu/level/attention.h"
#include "kernels/cpu/level/linear.h"
#include "kernels/cpu/level/rows.h"

/// What each level's translation units export.
#define LEGATO_DECLARE_LEVEL(level)            \
  namespace legato::kernels::cpu::level {      \
  const LinearKernels& linear_kernels();       \
  const AttentionKernels& attention_kernels(); \
  const RowKernels& row_kernels();             \
  }

LEGATO_DECLARE_LEVEL(sse2)
LEGATO_DECLARE_LEVEL(avx2)
LEGATO_DECLARE_LEVEL(avx512)

#undef LEGATO_DECLARE_LEVEL

#pragma once

#include "kernels/cpu/level/attention.h"
#include "kernels/cpu/level/linear.h"
#include "kernels/cpu/level/rows.h"

/// What each level's translation units export. Floats gain nothing from integer dot products, and
/// AVX-512 without them nothing over AVX2 for codes.
#define LEGATO_DECLARE_LEVEL(level)            \
  namespace legato::kernels::cpu::level {      \
  const LinearKernels& linear_kernels();       \
  const AttentionKernels& attention_kernels(); \
  const RowKernels& row_kernels();             \
  }

LEGATO_DECLARE_LEVEL(sse2)
LEGATO_DECLARE_LEVEL(avx2)
LEGATO_DECLARE_LEVEL(avx512)

#define LEGATO_DECLARE_QUANT_LEVEL(level)                    \
  namespace legato::kernels::cpu::level {                    \
  const LinearKernels& quant_linear_kernels(QuantForm form); \
  }

LEGATO_DECLARE_QUANT_LEVEL(sse2)
LEGATO_DECLARE_QUANT_LEVEL(avx2)
LEGATO_DECLARE_QUANT_LEVEL(avx512vnni)

#undef LEGATO_DECLARE_QUANT_LEVEL
#undef LEGATO_DECLARE_LEVEL

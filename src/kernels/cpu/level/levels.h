#pragma once

#include "device/cpu/cpu_level.h"
#include "kernels/cpu/level/attention.h"
#include "kernels/cpu/level/linear.h"
#include "kernels/cpu/level/rows.h"

namespace legato::kernels::cpu {

/// The kernels of one level; the machine must have it. AVX-512 with VNNI runs the AVX-512 code:
/// floats gain nothing from the integer dot products.
const LinearKernels& linear_kernels(CpuLevel level);
/// Quantised weights have code for SSE2, AVX2 and AVX-512 with VNNI; AVX-512 without it runs
/// AVX2's.
const LinearKernels& quant_linear_kernels(CpuLevel level, QuantForm form);
const AttentionKernels& attention_kernels(CpuLevel level);
const RowKernels& row_kernels(CpuLevel level);

}  // namespace legato::kernels::cpu

#include "kernels/cpu/level/levels.h"

#include "kernels/cpu/level/tables.h"

namespace legato::kernels::cpu {

const LinearKernels& linear_kernels(CpuLevel level) {
  if (level >= CpuLevel::kAvx512) return avx512::linear_kernels();
  return level == CpuLevel::kAvx2 ? avx2::linear_kernels() : sse2::linear_kernels();
}

const LinearKernels& quant_linear_kernels(CpuLevel level, QuantForm form) {
  if (level >= CpuLevel::kAvx512Vnni) return avx512vnni::quant_linear_kernels(form);
  return level >= CpuLevel::kAvx2 ? avx2::quant_linear_kernels(form)
                                  : sse2::quant_linear_kernels(form);
}

const AttentionKernels& attention_kernels(CpuLevel level) {
  if (level >= CpuLevel::kAvx512) return avx512::attention_kernels();
  return level == CpuLevel::kAvx2 ? avx2::attention_kernels() : sse2::attention_kernels();
}

const RowKernels& row_kernels(CpuLevel level) {
  if (level >= CpuLevel::kAvx512) return avx512::row_kernels();
  return level == CpuLevel::kAvx2 ? avx2::row_kernels() : sse2::row_kernels();
}

}  // namespace legato::kernels::cpu

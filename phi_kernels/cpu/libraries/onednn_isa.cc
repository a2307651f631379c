// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "phi_kernels/cpu/libraries/onednn_isa.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdlib>

namespace paddle::cpu {

bool onednn_multiplies(DType dtype) {
  const auto needed = static_cast<int>(dtype == DType::kFloat16 ? dnnl::cpu_isa::avx512_core_fp16
                                                                : dnnl::cpu_isa::avx512_core_bf16);
  static const auto present = static_cast<int>(dnnl::get_effective_cpu_isa());
  return (present & needed) == needed;
}

void allow_float16_tiles() {
  if (std::getenv("ONEDNN_MAX_CPU_ISA") || std::getenv("DNNL_MAX_CPU_ISA")) return;
  dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_amx_fp16);
}

}  // namespace paddle::cpu

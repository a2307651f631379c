// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among the loops over logits.
#include "phi_kernels/cpu/sampling/sampling_kernels.h"

#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {

const SamplingKernels& sampling_kernels() {
  return isa() == Isa::kAvx512 ? kSampling_avx512 : kSampling_avx2;
}

}  // namespace paddle::cpu

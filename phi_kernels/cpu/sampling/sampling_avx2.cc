// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over logits compiled for AVX2; chosen at run time.
#include "phi_kernels/cpu/sampling/sampling_impl.h"

namespace paddle::cpu {

const SamplingKernels kSampling_avx2{narrow, hide};

}  // namespace paddle::cpu

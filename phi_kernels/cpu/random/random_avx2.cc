// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks of random numbers compiled for AVX2.
#include "phi_kernels/cpu/random/random_impl.h"

namespace paddle::cpu {

const RandomKernels random_avx2 = kRandomKernels;

}  // namespace paddle::cpu

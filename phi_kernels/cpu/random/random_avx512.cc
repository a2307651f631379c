// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks of random numbers compiled for AVX-512.
#include "phi_kernels/cpu/random/random_impl.h"

namespace paddle::cpu {

const RandomKernels random_avx512 = kRandomKernels;

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Chain kernels compiled for AVX-512; chosen at run time by chain_product.cc.
#include "phi_kernels/cpu/gemm/chain_kernels_impl.h"

namespace paddle::cpu {

const ChainKernels<float> kFloatChains_avx512 = kChains<Floats>;
const ChainKernels<double> kDoubleChains_avx512 = kChains<Doubles>;

}  // namespace paddle::cpu

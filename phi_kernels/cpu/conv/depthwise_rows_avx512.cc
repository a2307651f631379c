// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The loops of depthwise convolutions compiled for AVX-512; chosen at run time by depthwise.cc.
#include "phi_kernels/cpu/conv/depthwise_rows_impl.h"

namespace paddle::cpu {

const DepthwiseKernels kDepthwise_avx512 = kKernels;

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Winograd kernels compiled for AVX2; chosen at run time by winograd.cc.
#include "phi_kernels/cpu/conv/winograd_impl.h"

namespace paddle::cpu {

const WinogradKernels kWinograd_avx2 = kKernels;

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of lines side by side compiled for AVX2; chosen at run time by fft_columns.cc.
#include "phi_kernels/cpu/fft/fft_columns_impl.h"

namespace paddle::cpu {

const FftKernels kFft_avx2 = kKernels;

}  // namespace paddle::cpu

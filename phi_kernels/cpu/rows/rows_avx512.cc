// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Row kernels compiled for AVX-512; chosen at run time by rows.cc.
#include "phi_kernels/cpu/rows/rows_impl.h"

namespace paddle::cpu {

extern const RowKernels<float> kFloatRows_avx512;
extern const RowKernels<double> kDoubleRows_avx512;
const RowKernels<float> kFloatRows_avx512 = kRowKernels<float>;
const RowKernels<double> kDoubleRows_avx512 = kRowKernels<double>;

}  // namespace paddle::cpu

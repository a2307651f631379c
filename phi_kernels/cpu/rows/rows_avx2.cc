// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Row kernels compiled for AVX2; chosen at run time by rows.cc.
#include "phi_kernels/cpu/rows/rows_impl.h"

namespace paddle::cpu {

extern const RowKernels<float> kFloatRows_avx2;
extern const RowKernels<double> kDoubleRows_avx2;
const RowKernels<float> kFloatRows_avx2 = kRowKernels<float>;
const RowKernels<double> kDoubleRows_avx2 = kRowKernels<double>;

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Row products compiled for AVX2; chosen at run time.
#include "phi_kernels/cpu/gemm/row_products_impl.h"

namespace paddle::cpu {

const RowProductKernels kRowProducts_avx2 = {row_products, row_sums};

}  // namespace paddle::cpu

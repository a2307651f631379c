// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Row products compiled for AVX2; chosen at run time.
#include "phi_kernels/cpu/gemm/row_products_impl.h"

namespace paddle::cpu {

const RowProductTable kRowProducts_avx2 = {kKernels<float>, kKernels<float16>, kKernels<bfloat16>};

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with codes compiled for AVX-512; chosen at run time.
#include "phi_kernels/cpu/quantize/code_product_impl.h"

namespace paddle::cpu {

const CodeProductKernels kCodeProduct_avx512{code_order, code_multiply, code_values};

}  // namespace paddle::cpu

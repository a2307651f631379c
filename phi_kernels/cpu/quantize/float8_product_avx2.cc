// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with 8-bit floats compiled for AVX2; chosen at run time.
#include "phi_kernels/cpu/quantize/float8_product_impl.h"

namespace paddle::cpu {

const Float8Kernels kFloat8_avx2{float8_multiply, float8_values};

}  // namespace paddle::cpu

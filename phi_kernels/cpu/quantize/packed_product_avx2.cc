// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with packed weights compiled for AVX2; chosen at run time.
#include "phi_kernels/cpu/quantize/packed_product_impl.h"

namespace paddle::cpu {

const PackedProductKernels kPackedProduct_avx2{quantize, multiply};

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with packed weights compiled for AVX-512; chosen at run time.
#include "phi_kernels/cpu/quantize/packed_product_impl.h"

namespace paddle::cpu {

const PackedProductKernels kPackedProduct_avx512{quantize, multiply};

}  // namespace paddle::cpu

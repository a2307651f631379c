// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with packed weights compiled for AVX-512 with its products of bytes (VNNI); chosen at
// run time.
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "phi_kernels/cpu/quantize/packed_product.h"

#pragma GCC push_options
#pragma GCC target("avx512vnni")
#include "phi_kernels/cpu/quantize/packed_product_impl.h"
#pragma GCC pop_options

namespace paddle::cpu {

const PackedProductKernels kPackedProduct_vnni{quantize, multiply};

}  // namespace paddle::cpu

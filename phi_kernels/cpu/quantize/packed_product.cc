// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among the products with packed weights.
#include "phi_kernels/cpu/quantize/packed_product.h"

#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {

const PackedProductKernels& packed_product_kernels() {
  static const PackedProductKernels& chosen = isa() != Isa::kAvx512     ? kPackedProduct_avx2
                                              : isa_has_byte_products() ? kPackedProduct_vnni
                                                                        : kPackedProduct_avx512;
  return chosen;
}

}  // namespace paddle::cpu

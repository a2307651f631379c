// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among the row products of the instruction sets.
#include "phi_kernels/cpu/gemm/row_products.h"

#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {

const RowProductTable& row_product_table() {
  static const RowProductTable& chosen =
      isa() == Isa::kAvx512 ? kRowProducts_avx512 : kRowProducts_avx2;
  return chosen;
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among the products with keys and values in blocks.
#include "phi_kernels/cpu/attention/paged_tile.h"

#include "phi_kernels/cpu/attention/paged_halves.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {

const PagedTileKernels& paged_tile_kernels() {
  return isa() == Isa::kAvx512 ? kPagedTile_avx512 : kPagedTile_avx2;
}

bool has_paged_halves() { return has_tiles(); }

}  // namespace paddle::cpu

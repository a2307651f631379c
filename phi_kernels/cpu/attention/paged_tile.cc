// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "phi_kernels/cpu/attention/paged_tile.h"

#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {

const PagedTileKernels& paged_tile_kernels() {
  return isa() == Isa::kAvx512 ? kPagedTile_avx512 : kPagedTile_avx2;
}

}  // namespace paddle::cpu

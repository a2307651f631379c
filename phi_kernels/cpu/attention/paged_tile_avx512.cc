// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with keys and values in blocks compiled for AVX-512; chosen at run time.
#include "phi_kernels/cpu/attention/paged_tile_impl.h"

namespace paddle::cpu {

const PagedTileKernels kPagedTile_avx512{multiply_keys, add_values,   soft_cap, widen,
                                         rotate,        group_scales, pack};

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The elementwise loops compiled for AVX-512.
#include "phi_kernels/cpu/elementwise/elementwise_math.h"

namespace paddle::cpu {

void fill_avx512(LoopTables& t) {
  fill_fast(t);
  fill_math(t);
}

}  // namespace paddle::cpu

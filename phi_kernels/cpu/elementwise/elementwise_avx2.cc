// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The elementwise loops compiled for AVX2.
#include "phi_kernels/cpu/elementwise/elementwise_math.h"

namespace paddle::cpu {

void fill_avx2(LoopTables& t) {
  fill_fast(t);
  fill_math(t);
}

}  // namespace paddle::cpu

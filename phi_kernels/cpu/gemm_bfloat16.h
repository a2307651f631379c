// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of bfloat16 matrices on machines that multiply them.
#pragma once

#include "phi_kernels/cpu/gemm.h"

namespace paddle::cpu {

// C = op(A) op(B) (+ C), added up in float32. False where float32 is as fast: on other machines,
// for small products, and where oneDNN has no implementation.
bool native_gemm(const GemmShape& s, const bfloat16* a, const bfloat16* b, bfloat16* c,
                 bool accumulate);

}  // namespace paddle::cpu

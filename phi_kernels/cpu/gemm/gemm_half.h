// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of float16 and bfloat16 matrices on machines that multiply them.
#pragma once

#include "phi_kernels/cpu/gemm/gemm.h"

namespace paddle::cpu {

// C = op(A) op(B) (+ C), added up in float32. False where float32 is as fast: on other machines,
// for small products, and where oneDNN has no implementation.
// T: float16 or bfloat16.
template <typename T>
bool native_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate);
// The same with the result in float32.
template <typename T>
bool native_gemm(const GemmShape& s, const T* a, const T* b, float* c, bool accumulate);

}  // namespace paddle::cpu

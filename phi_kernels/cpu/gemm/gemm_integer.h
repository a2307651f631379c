// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices of integers, which wrap around. T is uint32_t or uint64_t.
#pragma once

#include "phi_kernels/cpu/gemm/gemm.h"

namespace paddle::cpu {

template <typename T>
void integer_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate);

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products whose elements do not depend on the shape of the whole: every element is one chain of
// fused multiply-adds over k in order, which begins with 0 or with the old element, whatever the
// number of rows, columns and threads. What varies with the shape is only which elements are
// computed together.
#pragma once

#include "phi_kernels/cpu/gemm/gemm.h"

namespace paddle::cpu {

// C = op(A) op(B) (+ C) for float, double, float16 and bfloat16; 16-bit floats are widened to float
// and the result is rounded once.
template <typename T>
void chain_product(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate);

}  // namespace paddle::cpu

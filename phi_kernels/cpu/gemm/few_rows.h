// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows with a matrix, as when a language model writes one token: they take as
// long as the matrix takes to read, so it is read once, in the order of memory.
#pragma once

#include "phi_kernels/cpu/gemm/gemm.h"

namespace paddle::cpu {

// Whether the product is of that kind.
bool is_few_rows(const GemmShape& s);

// C = alpha * op(A) op(B) + beta * C for float, float16 and bfloat16 operands, which are widened on
// the way. The result does not depend on the number of threads.
template <typename T>
void multiply_few_rows(const GemmShape& s, float alpha, const T* a, const T* b, float beta, T* c);

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attention whose results depend on their query and the keys that it sees alone: products are those
// of chain_product.h, the largest score is found before exponentials are taken, and sums go over
// the keys in order, where hidden keys add exact zeros. Other queries, other samples, hidden keys
// and the number of threads change nothing, as long as hidden values are finite.
#pragma once

#include "phi_kernels/cpu/attention/attention_problem.h"

namespace paddle::cpu {

// softmax may be null. Defined for float, double, float16 and bfloat16.
template <typename T>
void chain_attention(const AttentionProblem<T>& p, const T* q, const T* k, const T* v, T* out,
                     T* softmax, RowType<T>* lse);

}  // namespace paddle::cpu

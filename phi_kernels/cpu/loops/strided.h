// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies between strided views of CPU memory, for the kernels that are nothing but copies.
#pragma once

#include "paddle_core/tensor/tensor.h"

namespace paddle::cpu {

// Both have the same sizes; strides in elements. Casts when the dtypes differ. Parallel when big.
void copy_strided(void* dst, DType dst_type, const int64_t* dst_strides, const void* src,
                  DType src_type, const int64_t* src_strides, const int64_t* sizes, int rank);

// A contiguous block of bytes, in parallel when big; nothing where dst is src.
void copy_bytes(void* dst, const void* src, int64_t bytes);

// Installs the strided copy behind Tensor::copy_data_from.
PADDLE_API void install_copy_cpu();

}  // namespace paddle::cpu

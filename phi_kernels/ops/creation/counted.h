// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers 0, 1, ... along an extent, also along one that varies in the program being captured.
#pragma once

#include "phi_kernels/ops/compose.h"

namespace paddle::ops {

inline Tensor counted(Dim n, Place place) {
  if (!n.is_symbolic()) {
    return arange(Scalar(int64_t{0}), Scalar(n.value()), Scalar(int64_t{1}), DType::kInt64, place);
  }
  const Tensor ones = full(Shape{n}, Scalar(int64_t{1}), DType::kInt64, place);
  return cumsum(ones, Scalar(int64_t{0}), false, true, false);
}

}  // namespace paddle::ops

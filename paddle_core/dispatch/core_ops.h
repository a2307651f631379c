// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The few operators that the core itself needs (to promote, to sum gradients, to fill): the core
// knows no operator by name, so phi_kernels installs them. All go through call().
#pragma once

#include "paddle_core/dispatch/call.h"
#include "paddle_core/tensor/sharded_part.h"

namespace paddle {

struct CoreOps {
  Tensor (*add)(const Tensor& a, const Tensor& b);
  // In place, outside every layer: a += b of equal shape and dtype.
  void (*accumulate)(const Tensor& a, const Tensor& b);
  Tensor (*cast)(const Tensor& x, DType dtype);
  // Sums x over the axes along which `shape` was broadcast to x's shape.
  Tensor (*sum_to)(const Tensor& x, const Shape& shape);
  Tensor (*expand)(const Tensor& x, const Shape& shape);
  Tensor (*full)(const Shape& shape, const Scalar& value, DType dtype);
  // The tensor, plain or distributed, placed so.
  Tensor (*reshard)(const Tensor& x, const DistAttr* attr);
};
PADDLE_API const CoreOps& core_ops();
PADDLE_API void set_core_ops(const CoreOps& ops);

}  // namespace paddle

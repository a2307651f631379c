// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operators behind promotion, gradient sums and fills.

#include "phi_kernels/ops/core_ops.h"

#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/collective/placement_args.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {
namespace {

Tensor core_add(const Tensor& a, const Tensor& b) { return add(a, b); }

void core_accumulate(const Tensor& a, const Tensor& b) {
  static const OpDef& op = Registry::global().at("add");
  const ModeGuard plain(~uint32_t{0});
  const Slot slots[2] = {Slot::of(a), Slot::of(b)};
  call_inplace(op, slots);
}

Tensor core_cast(const Tensor& x, DType dtype) { return cast(x, dtype); }

// Leading axes that broadcasting added, and axes that it stretched from 1; others are reshaped.
Tensor core_sum_to(const Tensor& x, const Shape& shape) {
  const int64_t extra = x.ndim() - static_cast<int64_t>(shape.size());
  if (extra < 0) return reshape(x, shape);
  Shape axes;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    const Dim extent = x.shape()[static_cast<size_t>(i)];
    const bool stretched =
        i >= extra && shape[static_cast<size_t>(i - extra)] == Dim(1) && !(extent == Dim(1));
    if (i < extra || stretched) axes.push_back(Dim(i));
  }
  Tensor out = axes.empty() ? x : sum(x, axes, x.dtype(), true);
  return out.shape() == shape ? out : reshape(out, shape);
}

Tensor core_expand(const Tensor& x, const Shape& shape) { return expand(x, shape); }

Tensor core_full(const Shape& shape, const Scalar& value, DType dtype) {
  return full(shape, value, dtype, default_place());
}

}  // namespace

void install_core_ops() {
  set_core_ops(
      {core_add, core_accumulate, core_cast, core_sum_to, core_expand, core_full, reshard_to});
}

}  // namespace paddle::ops

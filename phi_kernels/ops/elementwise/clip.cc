// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Limits to an interval.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

// A Scalar argument as a 0-d tensor of x's dtype, whether it is a constant or a tensor.
Tensor bound(Args& a, int k) {
  if (a.slot(k).kind == SlotKind::kTensor) return cast(a.tensor(k), a.tensor(0).dtype());
  return constant_like(a.tensor(0), a.scalar(k));
}

}  // namespace

void register_clip(Registry& r) {
  r.op("clip")
      .schema("clip(Tensor x, Scalar@operand min=-inf, Scalar@operand max=inf) -> (Tensor out)")
      .doc("Limits x to an interval: out = min(max(x, min), max); outside it the gradient is 0.",
           "paddle.clip(paddle.to_tensor([-2.0, 0.5, 3.0]), -1.0, 1.0)")
      .python("paddle.clip(x, min=None, max=None, name=None, *, out=None)")
      .python("Tensor.clip(min=None, max=None, name=None, *, out=None)")
      .inplace_python("paddle.clip_")
      .inplace_python("Tensor.clip_(min=None, max=None, name=None)")
      .elementwise()
      .infer(infer::same_as_x)
      .saves({"x", "min", "max"})
      .vjp([](Vjp& v) {
        Args a = v.args();
        const Tensor x = v.in(0);
        v.set(0, masked(logical_and(greater_than(x, bound(a, 1)), less_than(x, bound(a, 2))),
                        v.grad()));
      })
      .decompose([](Args& a) -> TensorList {
        return {minimum(maximum(a.tensor(0), bound(a, 1)), bound(a, 2))};
      });
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Limits to an interval, and numbers in place of what is none.
#include <cmath>

#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

// A Scalar argument as a 0-d tensor of x's dtype, whether it is a constant or a tensor; undefined
// for an infinite limit of integers.
Tensor bound(Args& a, int k) {
  const Tensor x = a.tensor(0);
  if (a.slot(k).kind == SlotKind::kTensor) return cast(a.tensor(k), x.dtype());
  if (!is_floating(x.dtype()) && !is_complex(x.dtype()) && std::isinf(a.scalar(k).to_double()))
    return Tensor();
  return scalar_like(x, a.scalar(k));
}

}  // namespace

void register_clip(Registry& r) {
  r.op("clip")
      .schema("clip(Tensor x, Scalar@operand min=-inf, Scalar@operand max=inf) -> (Tensor out)")
      .doc(
          "Limits x to an interval: out = min(max(x, min), max); outside it the gradient is 0. "
          "The limits of integers lose their fraction.",
          "paddle.clip(paddle.to_tensor([-2.0, 0.5, 3.0]), -1.0, 1.0)")
      .elementwise()
      .infer(infer::same_as_x)
      .saves({"x", "min", "max"})
      .vjp([](Vjp& v) {
        Args a = v.args();
        const Tensor x = v.in(0);
        v.set(0, masked(logical_and(greater_equal(x, bound(a, 1)), less_equal(x, bound(a, 2))),
                        v.grad()));
      })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        Tensor out = a.tensor(0);
        if (const Tensor low = bound(a, 1); low.defined()) out = maximum(out, low);
        if (const Tensor high = bound(a, 2); high.defined()) out = minimum(out, high);
        return {out};
      });
  r.op("nan_to_num")
      .schema(
          "nan_to_num(Tensor x, double nan=0.0, double posinf=0.0, double neginf=0.0) -> (Tensor "
          "out)")
      .doc("x with numbers in place of NaN and the infinities; there the gradient is 0.",
           "paddle._C_ops.nan_to_num(paddle.to_tensor([1.0, float('inf')]), 0.0, 9.0, -9.0)")
      .elementwise()
      .infer([](Infer& c) {
        c.require_floating(0);
        infer::same_as_x(c);
      })
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, masked(isfinite(v.in(0)), v.grad())); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        const Tensor known = where(isnan(x), scalar_like(x, Scalar(a.f(1))), x);
        const Tensor upper = where(greater_than(x, zero_of(x)), scalar_like(x, Scalar(a.f(2))),
                                   scalar_like(x, Scalar(a.f(3))));
        return {where(isinf(x), upper, known)};
      });
}

}  // namespace paddle::ops

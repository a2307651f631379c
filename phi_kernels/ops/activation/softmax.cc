// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax and log_softmax along one axis, with gradient operators in terms of the result.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void infer_softmax(Infer& c) {
  c.require_floating(0);
  c.axis(1, c.rank(0));
  c.out(0, c.shape(0), c.dtype(0));
}

void infer_softmax_grad(Infer& c) {
  c.axis(2, c.rank(0));
  infer::same_as_both(c);
}

// Axis as reductions take it: a 0-d tensor has none to name.
Shape axis_of(const Tensor& x, int64_t axis) { return x.ndim() == 0 ? Shape() : Shape{axis}; }

Tensor centred(const Tensor& x, const Shape& axis) { return x - max(x, axis, true); }

TensorList decompose_softmax(Args& a) {
  const Shape axis = axis_of(a.tensor(0), a.i(1));
  const Tensor e = exp(centred(a.tensor(0), axis));
  return {e / sum_axes(e, axis, true)};
}

TensorList decompose_log_softmax(Args& a) {
  const Shape axis = axis_of(a.tensor(0), a.i(1));
  const Tensor shifted = centred(a.tensor(0), axis);
  return {shifted - log(sum_axes(exp(shifted), axis, true))};
}

TensorList decompose_softmax_grad(Args& a) {
  const Tensor y = a.tensor(0), g = a.tensor(1);
  return {y * (g - sum_axes(g * y, axis_of(y, a.i(2)), true))};
}

TensorList decompose_log_softmax_grad(Args& a) {
  const Tensor y = a.tensor(0), g = a.tensor(1);
  return {g - exp(y) * sum_axes(g, axis_of(y, a.i(2)), true)};
}

// dx = y (g - s), s = sum(g y). For the gradient u of dx: by g: y (u - sum(u y)); by y:
// u (g - s) - g sum(u y).
void vjp_softmax_grad(Vjp& v) {
  const Tensor y = v.in(0), g = v.in(1), u = v.grad();
  const Shape axis = axis_of(y, v.i(2));
  const Tensor uy = sum_axes(u * y, axis, true);
  if (v.needs(0)) v.set(0, u * (g - sum_axes(g * y, axis, true)) - g * uy);
  if (v.needs(1)) v.set(1, y * (u - uy));
}

// dx = g - exp(y) sum(g).
void vjp_log_softmax_grad(Vjp& v) {
  const Tensor y = v.in(0), g = v.in(1), u = v.grad();
  const Shape axis = axis_of(y, v.i(2));
  const Tensor p = exp(y);
  if (v.needs(0)) v.set(0, -(u * p * sum_axes(g, axis, true)));
  if (v.needs(1)) v.set(1, u - sum_axes(u * p, axis, true));
}

}  // namespace

void register_softmax(Registry& r) {
  r.op("softmax")
      .schema("softmax(Tensor x, int axis=-1) -> (Tensor out)")
      .spmd(sharding::along_axis)
      .doc("exp(x) / sum(exp(x)) along axis, computed from x - max(x).",
           "paddle.nn.functional.softmax(paddle.to_tensor([1.0, 2.0, 3.0]))")
      .python("Tensor.softmax(dim=None, dtype=None, *, out=None)")
      .python("paddle.softmax(input, dim=None, dtype=None, *, out=None)")
      .alias("dim", "axis")
      .amp_class(AmpClass::kHigh)
      .infer(infer_softmax)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, softmax_grad(v.out(), v.grad(), v.i(1))); })
      .rank(1)
      .decompose(decompose_softmax);

  r.op("softmax_grad")
      .schema("softmax_grad(Tensor out, Tensor out_grad, int axis=-1) -> (Tensor x_grad)")
      .doc("Gradient of softmax: out * (out_grad - sum(out_grad * out)).",
           "paddle._C_ops.softmax_grad(paddle.ones([1]), paddle.ones([1]), -1)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_softmax_grad)
      .saves({"out", "out_grad"})
      .vjp(vjp_softmax_grad)
      .decompose(decompose_softmax_grad);

  r.op("log_softmax")
      .schema("log_softmax(Tensor x, int axis=-1) -> (Tensor out)")
      .spmd(sharding::along_axis)
      .doc("Logarithm of softmax: x - max(x) - log(sum(exp(x - max(x)))).",
           "paddle.nn.functional.log_softmax(paddle.to_tensor([1.0, 2.0, 3.0]))")
      .amp_class(AmpClass::kHigh)
      .infer(infer_softmax)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, log_softmax_grad(v.out(), v.grad(), v.i(1))); })
      .rank(1)
      .decompose(decompose_log_softmax);

  r.op("log_softmax_grad")
      .schema("log_softmax_grad(Tensor out, Tensor out_grad, int axis=-1) -> (Tensor x_grad)")
      .doc("Gradient of log_softmax: out_grad - exp(out) * sum(out_grad).",
           "paddle._C_ops.log_softmax_grad(paddle.zeros([1]), paddle.ones([1]), -1)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_softmax_grad)
      .saves({"out", "out_grad"})
      .vjp(vjp_log_softmax_grad)
      .decompose(decompose_log_softmax_grad);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and cross entropy in one operator. Its gradient operator reads the softmax result, whose
// own gradient leads back to the logits, so that derivatives of every order are complete.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/loss.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void check_label(Infer& c, int label, const Shape& x, size_t axis, bool soft) {
  const Shape& y = c.shape(label);
  bool fits = y.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i) {
    fits = decide_eq(y[i], i == axis && !soft ? Dim(1) : x[i], true);
  }
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": label has shape ", y, " and the logits have shape ", x,
                     soft ? "; soft labels must have the shape of the logits"
                          : "; class indices must have that shape with 1 at the class axis",
                     "; reshape label, for indices with unsqueeze(axis).");
  if (!soft) c.require_integer(label);
}

// arguments: input, label, soft_label, use_softmax, numeric_stable_mode, ignore_index, axis
void infer_forward(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  const Shape& x = c.shape(0);
  const size_t axis = static_cast<size_t>(c.axis(6, c.rank(0)));
  check_label(c, 1, x, axis, c.b(2));
  if (c.b(2)) c.require_same_dtype(0, 1);
  c.out(0, x, c.dtype(0));
  Shape& loss = c.out(1, c.dtype(0));
  loss = x;
  loss[axis] = 1;
}

// arguments: label, softmax, loss_grad, soft_label, use_softmax, numeric_stable_mode, ignore_index,
// axis
void infer_backward(Infer& c) {
  c.require_same_dtype(1, 2);
  const size_t axis = static_cast<size_t>(c.axis(7, c.rank(1)));
  check_label(c, 0, c.shape(1), axis, c.b(3));
  if (c.b(3)) c.require_same_dtype(1, 0);
  Shape loss = c.shape(1);
  if (!loss.empty()) loss[axis] = 1;
  c.require_shape(2, loss);
  c.out(0, c.shape(1), c.dtype(1));
}

struct HardLabel {
  Tensor indices;  // ignored entries replaced by class 0
  Tensor counts;   // 1 where the entry counts, 0 where it is ignored
};

HardLabel hard_label(const Tensor& label, int64_t ignore_index, DType dtype) {
  const Tensor wide = as_dtype(label, DType::kInt64);
  const Tensor valid =
      not_equal(wide, full(Shape(), Scalar(ignore_index), DType::kInt64, wide.place()));
  return {where(valid, wide, constant_like(wide, 0)), as_dtype(valid, dtype)};
}

// 1 at the label of every counting entry, 0 elsewhere.
Tensor one_hot_like(const Tensor& p, const HardLabel& label, int64_t axis) {
  return put_along_axis(constant_like(p, 0), label.indices, label.counts, axis, "assign", true);
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0), label = a.tensor(1);
  const int64_t axis = a.i(6);
  const Tensor log_p = a.b(3) ? log_softmax(x, axis) : log(x);
  const Tensor p = a.b(3) ? softmax(x, axis) : x;
  if (a.b(2)) return {p, -sum_axes(label * log_p, Shape{axis}, true)};
  const HardLabel hard = hard_label(label, a.i(5), x.dtype());
  const Tensor picked = take_along_axis(log_p, hard.indices, axis);
  return {p, where(equal(hard.counts, constant_like(hard.counts, 0)), constant_like(picked, 0),
                   -picked)};
}

// The gradient as a function of softmax p, label and loss gradient g.
TensorList decompose_backward(Args& a) {
  const Tensor label = a.tensor(0), p = a.tensor(1), g = a.tensor(2);
  const bool soft = a.b(3), use_softmax = a.b(4);
  const int64_t axis = a.i(7);
  if (soft) {
    if (!use_softmax) return {-(g * label / p)};
    return {g * (p * sum_axes(label, Shape{axis}, true) - label)};
  }
  const HardLabel hard = hard_label(label, a.i(6), p.dtype());
  const Tensor hot = one_hot_like(p, hard, axis);
  if (!use_softmax) return {-(g * hot / p)};
  return {g * (p * hard.counts - hot)};
}

void vjp_forward(Vjp& v) {
  const Tensor p = v.out(0);
  const bool soft = v.b(2), use_softmax = v.b(3);
  const int64_t axis = v.i(6);
  Tensor dx;
  if (v.has_grad(1) && v.needs(0)) {
    dx = cross_entropy_with_softmax_grad(v.in(1), p, v.grad(1), soft, use_softmax, v.b(4), v.i(5),
                                         axis);
  }
  if (v.has_grad(0) && v.needs(0)) {
    dx = plus(dx, use_softmax ? softmax_grad(p, v.grad(0), axis) : v.grad(0));
  }
  if (dx.defined()) v.set(0, dx);
  if (soft && v.needs(1) && v.has_grad(1)) v.set(1, -(v.grad(1) * log(p)));
}

// Needs of the gradient operator: softmax p (1), loss gradient g (2), soft label (0).
void vjp_backward(Vjp& v) {
  const Tensor label = v.in(0), p = v.in(1), g = v.in(2), u = v.grad();
  const bool soft = v.b(3), use_softmax = v.b(4);
  const int64_t axis = v.i(7);
  const Shape axes{axis};
  Tensor target = label, mass;
  if (soft) {
    mass = sum_axes(label, axes, true);
  } else {
    const HardLabel hard = hard_label(label, v.i(6), p.dtype());
    mass = hard.counts;
    target = one_hot_like(p, hard, axis);
  }
  if (use_softmax) {
    if (v.needs(1)) v.set(1, u * g * mass);
    if (v.needs(2)) v.set(2, sum_axes(u * (p * mass - target), axes, true));
    if (soft && v.needs(0)) v.set(0, g * (sum_axes(u * p, axes, true) - u));
  } else {
    if (v.needs(1)) v.set(1, u * g * target / (p * p));
    if (v.needs(2)) v.set(2, -sum_axes(u * target / p, axes, true));
    if (soft && v.needs(0)) v.set(0, -(u * g / p));
  }
}

}  // namespace

void register_cross_entropy(Registry& r) {
  r.op("cross_entropy_with_softmax")
      .schema(
          "cross_entropy_with_softmax(Tensor input, Tensor label, bool soft_label=false, bool "
          "use_softmax=true, bool numeric_stable_mode=true, int ignore_index=-100, int axis=-1) -> "
          "(Tensor softmax, Tensor loss)")
      .spmd(sharding::along_axis)
      .doc(
          "Softmax of the logits along axis and the cross entropy of each entry with its label: an "
          "index of size 1 along axis, or with soft_label a distribution. The loss is 0 where the "
          "label equals ignore_index.",
          "paddle._C_ops.cross_entropy_with_softmax(paddle.ones([2, 3]), paddle.to_tensor([[0], "
          "[2]]), False, True, True, -100, -1)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .saves({"label", "softmax"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("cross_entropy_with_softmax_grad")
      .schema(
          "cross_entropy_with_softmax_grad(Tensor label, Tensor softmax, Tensor loss_grad, bool "
          "soft_label=false, bool use_softmax=true, bool numeric_stable_mode=true, int "
          "ignore_index=-100, int axis=-1) -> (Tensor input_grad)")
      .spmd(sharding::along_axis)
      .doc("Gradient of cross_entropy_with_softmax by its logits: loss_grad * (softmax - label).",
           "paddle._C_ops.cross_entropy_with_softmax_grad(paddle.to_tensor([[0]]), "
           "paddle.full([1, 2], 0.5), paddle.ones([1, 1]), False, True, True, -100, -1)")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("softmax")
      .infer(infer_backward)
      .saves({"label", "softmax", "loss_grad"})
      .vjp(vjp_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops

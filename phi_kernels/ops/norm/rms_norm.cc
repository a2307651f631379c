// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// rms_norm: x / sqrt(mean(x^2) + epsilon) * scale over the last dimensions.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/norm.h"
#include "phi_kernels/ops/norm/derivatives.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

DType statistic_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

int64_t begin_axis(const Shape& x, size_t given) {
  return static_cast<int64_t>(x.size()) - static_cast<int64_t>(given == 0 ? 1 : given);
}

// arguments: x, scale, normalized_shape, epsilon
void infer_forward(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  const Shape &x = c.shape(0), given = c.ints(2);
  const int64_t begin = begin_axis(x, given.size());
  PADDLE_CHECK_VALUE(begin >= 0, c.op_name(), ": x has shape ", x, " and normalized_shape is ",
                     given, "; normalized_shape must be the last extents of x; shorten it.");
  for (size_t i = 0; i < given.size(); ++i) {
    PADDLE_CHECK_VALUE(decide_eq(x[static_cast<size_t>(begin) + i], given[i], true), c.op_name(),
                       ": x has shape ", x, " and normalized_shape is ", given,
                       "; normalized_shape must be the last extents of x.");
  }
  if (c.has(1)) {
    const Shape tail(x.begin() + begin, x.end());
    PADDLE_CHECK_VALUE(decide_eq(numel_of(c.shape(1)), numel_of(tail), true), c.op_name(),
                       ": scale has shape ", c.shape(1), " and x has shape ", x,
                       "; scale needs one value per normalised element, shape ", tail, ".");
    c.require_same_dtype(0, 1);
  }
  c.out(0, x, c.dtype(0));
  c.out(1, Shape(x.begin(), x.begin() + begin), statistic_dtype(c.dtype(0)));
}

// arguments: x, scale, invvar, out_grad, normalized_shape, epsilon
void infer_backward(Infer& c) {
  const Shape& x = c.shape(0);
  const int64_t begin = begin_axis(x, c.ints(4).size());
  PADDLE_CHECK_VALUE(begin >= 0, c.op_name(), ": x has shape ", x, " and normalized_shape is ",
                     c.ints(4), "; normalized_shape must be the last extents of x; shorten it.");
  if (c.has(1)) {
    c.require_elements(1, numel_of(Shape(x.begin() + begin, x.end())));
    c.require_same_dtype(0, 1);
  }
  c.require_elements(2, numel_of(Shape(x.begin(), x.begin() + begin)));
  c.require_dtype(2, statistic_dtype(c.dtype(0)));
  c.require_like(0, 3);
  c.out(0, c.shape(0), c.dtype(0));
  if (c.has(1)) c.out(1, c.shape(1), c.dtype(1));
}

struct Setting {
  NormTerms terms;
  Tensor w;  // shaped like the normalised dimensions
  DType wide;
};

Setting setting(const Tensor& x, const Tensor& scale, size_t given, double epsilon) {
  const int64_t rank = x.ndim(), begin = begin_axis(x.shape(), given);
  Setting s;
  s.wide = statistic_dtype(x.dtype());
  s.terms = norm_terms(as_dtype(x, s.wide), axis_range(begin, rank), axis_range(0, begin), epsilon,
                       false);
  if (scale.defined()) {
    s.w = as_dtype(reshape(scale, Shape(x.shape().begin() + begin, x.shape().end())), s.wide);
  }
  return s;
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0);
  const size_t given = a.ints(2).size();
  const Setting s = setting(x, a.tensor(1), given, a.f(3));
  const Shape rows(x.shape().begin(), x.shape().begin() + begin_axis(x.shape(), given));
  return {as_dtype(scaled_by(s.terms.n, s.w), x.dtype()), reshape(s.terms.r, rows)};
}

TensorList decompose_backward(Args& a) {
  const Setting s = setting(a.tensor(0), a.tensor(1), a.ints(4).size(), a.f(5));
  const NormGrads g = norm_grads(s.terms, s.w, as_dtype(a.tensor(3), s.wide));
  return {as_dtype(g.x, a.tensor(0).dtype()), grad_like(g.w, a.tensor(1))};
}

void vjp_forward(Vjp& v) {
  if (!v.has_grad(0)) return;
  const auto grads = rms_norm_grad(v.in(0), v.in(1), v.out(1), v.grad(0), v.ints(2), v.f(3));
  v.set(0, grads[0]);
  if (v.has(1)) v.set(1, grads[1]);
}

void vjp_backward(Vjp& v) {
  const Tensor x = v.in(0), scale = v.in(1);
  const Setting s = setting(x, scale, v.ints(4).size(), v.f(5));
  const Tensor g = as_dtype(v.in(3), s.wide);
  Tensor a, b;
  if (v.has_grad(0)) a = as_dtype(v.grad(0), s.wide);
  if (v.has(1) && v.has_grad(1)) b = as_dtype(reshape(v.grad(1), s.w.shape()), s.wide);
  const NormSecondGrads second = norm_second_grads(s.terms, s.w, g, a, b, Tensor());
  if (v.needs(0) && second.x.defined()) v.set(0, second.x);
  if (v.has(1) && v.needs(1) && second.w.defined()) v.set(1, reshape(second.w, scale.shape()));
  if (v.needs(3) && second.g.defined()) v.set(3, second.g);
}

}  // namespace

void register_rms_norm(Registry& r) {
  r.op("rms_norm")
      .schema(
          "rms_norm(Tensor x, Tensor? scale, int64[] normalized_shape={}, double epsilon=1e-5) -> "
          "(Tensor out, Tensor invvar)")
      .spmd(sharding::rms_norm)
      .doc(
          "x / sqrt(mean(x * x) + epsilon) * scale, the mean over the dimensions of "
          "normalized_shape (the last one when it is empty). invvar is the inverse root.",
          "paddle._C_ops.rms_norm(paddle.ones([2, 4]), paddle.ones([4]), [4], 1e-5)")
      .amp_class(AmpClass::kHigh)
      .trait(kUnsaved)
      .infer(infer_forward)
      .no_grad_result("invvar")
      .saves({"x", "scale", "invvar"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("rms_norm_grad")
      .schema(
          "rms_norm_grad(Tensor x, Tensor? scale, Tensor invvar, Tensor out_grad, int64[] "
          "normalized_shape={}, double epsilon=1e-5) -> (Tensor x_grad, Tensor? scale_grad)")
      .spmd(sharding::rms_norm)
      .doc("Gradient of rms_norm by x and scale.",
           "paddle._C_ops.rms_norm_grad(paddle.ones([2, 4]), paddle.ones([4]), paddle.ones([2]), "
           "paddle.ones([2, 4]), [4], 1e-5)")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_backward)
      .saves({"x", "scale", "out_grad"})
      .vjp(vjp_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops

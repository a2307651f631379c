// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// layer_norm: (x - mean) / sqrt(variance + epsilon) * scale + bias from begin_norm_axis on.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/norm.h"
#include "phi_kernels/ops/norm/derivatives.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

DType statistic_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

void check_affine(Infer& c, int k, const Shape& x, int64_t begin) {
  if (!c.has(k)) return;
  const Shape tail(x.begin() + begin, x.end());
  PADDLE_CHECK_VALUE(decide_eq(numel_of(c.shape(k)), numel_of(tail), true), c.op_name(), ": ",
                     c.arg_name(k), " has shape ", c.shape(k), " and x has shape ", x, "; ",
                     c.arg_name(k), " needs one value per normalised element, shape ", tail,
                     "; check begin_norm_axis.");
  c.require_same_dtype(0, k);
}

// arguments: x, scale, bias, epsilon, begin_norm_axis
void infer_forward(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  const Shape& x = c.shape(0);
  const int64_t begin = c.axis(4, c.rank(0));
  check_affine(c, 1, x, begin);
  check_affine(c, 2, x, begin);
  const Shape rows(x.begin(), x.begin() + begin);
  c.out(0, x, c.dtype(0));
  c.out(1, rows, statistic_dtype(c.dtype(0)));
  c.out(2, rows, statistic_dtype(c.dtype(0)));
}

// arguments: x, scale, bias, mean, variance, out_grad, epsilon, begin_norm_axis
void infer_backward(Infer& c) {
  const Shape& x = c.shape(0);
  const int64_t begin = c.axis(7, c.rank(0));
  check_affine(c, 1, x, begin);
  check_affine(c, 2, x, begin);
  for (const int k : {3, 4}) {
    c.require_elements(k, numel_of(Shape(x.begin(), x.begin() + begin)));
    c.require_dtype(k, statistic_dtype(c.dtype(0)));
  }
  c.require_like(0, 5);
  c.out(0, c.shape(0), c.dtype(0));
  if (c.has(1)) c.out(1, c.shape(1), c.dtype(1));
  if (c.has(2)) c.out(2, c.shape(2), c.dtype(2));
}

struct Setting {
  NormTerms terms;
  Tensor w;
  DType wide;
  Shape tail, rows;
};

Setting setting(const Tensor& x, const Tensor& scale, int64_t begin, double epsilon) {
  Setting s;
  if (begin < 0) begin += x.ndim();
  s.wide = statistic_dtype(x.dtype());
  s.tail = Shape(x.shape().begin() + begin, x.shape().end());
  s.rows = Shape(x.shape().begin(), x.shape().begin() + begin);
  s.terms = norm_terms(as_dtype(x, s.wide), axis_range(begin, x.ndim()), axis_range(0, begin),
                       epsilon, true);
  if (scale.defined()) s.w = as_dtype(reshape(scale, s.tail), s.wide);
  return s;
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0), bias = a.tensor(2);
  const Setting s = setting(x, a.tensor(1), a.i(4), a.f(3));
  Tensor out = scaled_by(s.terms.n, s.w);
  if (bias.defined()) out = out + as_dtype(reshape(bias, s.tail), s.wide);
  const Tensor wide = as_dtype(x, s.wide), centre = mean(wide, s.terms.axes, true);
  const Tensor d = wide - centre;
  return {as_dtype(out, x.dtype()), reshape(centre, s.rows),
          reshape(mean(d * d, s.terms.axes, true), s.rows)};
}

TensorList decompose_backward(Args& a) {
  const Setting s = setting(a.tensor(0), a.tensor(1), a.i(7), a.f(6));
  const NormGrads g = norm_grads(s.terms, s.w, as_dtype(a.tensor(5), s.wide));
  return {as_dtype(g.x, a.tensor(0).dtype()), grad_like(g.w, a.tensor(1)),
          grad_like(g.b, a.tensor(2))};
}

void vjp_forward(Vjp& v) {
  if (!v.has_grad(0)) return;
  const auto grads =
      layer_norm_grad(v.in(0), v.in(1), v.in(2), v.out(1), v.out(2), v.grad(0), v.f(3), v.i(4));
  v.set(0, grads[0]);
  if (v.has(1)) v.set(1, grads[1]);
  if (v.has(2)) v.set(2, grads[2]);
}

void vjp_backward(Vjp& v) {
  const Setting s = setting(v.in(0), v.in(1), v.i(7), v.f(6));
  const Tensor g = as_dtype(v.in(5), s.wide);
  const auto cotangent = [&](int k, bool parameter) {
    if (!v.has_grad(k)) return Tensor();
    return as_dtype(parameter ? reshape(v.grad(k), s.tail) : v.grad(k), s.wide);
  };
  const NormSecondGrads second = norm_second_grads(s.terms, s.w, g, cotangent(0, false),
                                                   v.has(1) ? cotangent(1, true) : Tensor(),
                                                   v.has(2) ? cotangent(2, true) : Tensor());
  if (v.needs(0) && second.x.defined()) v.set(0, second.x);
  if (v.has(1) && v.needs(1) && second.w.defined()) v.set(1, reshape(second.w, v.in(1).shape()));
  if (v.needs(5) && second.g.defined()) v.set(5, second.g);
}

}  // namespace

void register_layer_norm(Registry& r) {
  r.op("layer_norm")
      .schema(
          "layer_norm(Tensor x, Tensor? scale, Tensor? bias, float epsilon=1e-5, int "
          "begin_norm_axis=1) -> (Tensor out, Tensor mean, Tensor variance)")
      .spmd(sharding::layer_norm)
      .doc(
          "(x - mean) / sqrt(variance + epsilon) * scale + bias; mean and variance over the "
          "dimensions from begin_norm_axis on.",
          "paddle._C_ops.layer_norm(paddle.ones([2, 4]), paddle.ones([4]), paddle.zeros([4]), "
          "1e-5, 1)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .no_grad_result("mean")
      .no_grad_result("variance")
      .saves({"x", "scale", "bias", "mean", "variance"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("layer_norm_grad")
      .schema(
          "layer_norm_grad(Tensor x, Tensor? scale, Tensor? bias, Tensor mean, Tensor variance, "
          "Tensor out_grad, float epsilon=1e-5, int begin_norm_axis=1) -> (Tensor x_grad, Tensor? "
          "scale_grad, Tensor? bias_grad)")
      .spmd(sharding::layer_norm)
      .doc("Gradient of layer_norm by x, scale and bias.",
           "paddle._C_ops.layer_norm_grad(paddle.ones([2, 4]), None, None, paddle.ones([2]), "
           "paddle.zeros([2]), paddle.ones([2, 4]), 1e-5, 1)")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_backward)
      .saves({"x", "scale", "out_grad"})
      .vjp(vjp_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// group_norm (Wu & He 2018) over groups of channels, and instance_norm, which has one channel per
// group.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/norm.h"
#include "phi_kernels/ops/norm/derivatives.h"

namespace paddle::ops {
namespace {

DType statistic_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }
bool channels_last(std::string_view format) { return format.size() > 2 && format.back() == 'C'; }

void check_affine(Infer& c, int k, const Dim& channels) {
  if (!c.has(k)) return;
  PADDLE_CHECK_VALUE(c.rank(k) == 1 && decide_eq(c.shape(k)[0], channels, true), c.op_name(), ": ",
                     c.arg_name(k), " has shape ", c.shape(k), " and x has ", channels,
                     " channels (shape ", c.shape(0), "); it must have one number per channel.");
  c.require_same_dtype(0, k);
}

void check_inputs(Infer& c, int64_t groups, std::string_view format) {
  c.require_floating(0);
  c.require_rank_at_least(0, 2);
  const Shape& x = c.shape(0);
  const Dim channels = channels_last(format) ? x.back() : x[1];
  PADDLE_CHECK_VALUE(groups > 0 && decide_eq(mod(channels, groups), 0, true), c.op_name(),
                     ": x has ", channels, " channels and groups is ", groups,
                     "; groups must divide the channels.");
  check_affine(c, 1, channels);
  check_affine(c, 2, channels);
}

// arguments: x, scale, bias, epsilon, groups, data_format
void infer_forward(Infer& c) {
  check_inputs(c, c.i(4), c.text(5));
  PADDLE_CHECK_VALUE(c.f(3) >= 0, "group_norm: epsilon has value ", c.f(3),
                     "; it must not be negative.");
  const Shape rows{c.shape(0)[0], c.i(4)};
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, rows, statistic_dtype(c.dtype(0)));
  c.out(2, rows, statistic_dtype(c.dtype(0)));
}

// arguments: x, scale, bias, mean, variance, out_grad, epsilon, groups, data_format
void infer_backward(Infer& c) {
  check_inputs(c, c.i(7), c.text(8));
  c.require_like(0, 5);
  for (const int k : {3, 4}) {
    c.require_elements(k, c.shape(0)[0] * Dim(c.i(7)));
    c.require_dtype(k, statistic_dtype(c.dtype(0)));
  }
  c.out(0, c.shape(0), c.dtype(0));
  if (c.has(1)) c.out(1, c.shape(1), c.dtype(1));
  if (c.has(2)) c.out(2, c.shape(2), c.dtype(2));
}

// x as [batch, groups, channels of a group, rest] in the computing dtype.
struct Setting {
  NormTerms terms;
  Tensor w;
  DType wide;
  Shape grouped, per_channel;
  bool last;
  Shape there, back;  // permutations for channels last

  Tensor enter(const Tensor& x) const {
    return reshape(as_dtype(last ? transpose(x, there) : x, wide), grouped);
  }
  Tensor leave(const Tensor& x, const Tensor& like) const {
    if (!last) return as_dtype(reshape(x, like.shape()), like.dtype());
    Shape first;
    for (const Dim& d : there) first.push_back(like.shape()[static_cast<size_t>(d.value())]);
    return as_dtype(transpose(reshape(x, first), back), like.dtype());
  }
  Tensor channel(const Tensor& x) const { return reshape(as_dtype(x, wide), per_channel); }
};

Setting setting(const Tensor& x, const Tensor& scale, double epsilon, int64_t groups,
                std::string_view format) {
  Setting s;
  s.wide = statistic_dtype(x.dtype());
  s.last = channels_last(format);
  const int64_t rank = x.ndim();
  const Dim channels = s.last ? x.shape().back() : x.shape()[1];
  if (s.last) {
    s.there = Shape{0, rank - 1};
    for (int64_t i = 1; i + 1 < rank; ++i) s.there.push_back(i);
    s.back = Shape{0};
    for (int64_t i = 2; i < rank; ++i) s.back.push_back(i);
    s.back.push_back(1);
  }
  Dim rest = 1;
  for (int64_t i = 1; i < rank; ++i) {
    if (i != (s.last ? rank - 1 : 1)) rest = rest * x.shape()[static_cast<size_t>(i)];
  }
  const Dim each = floordiv(channels, groups);
  s.grouped = Shape{x.shape()[0], groups, each, rest};
  s.per_channel = Shape{1, groups, each, 1};
  s.terms = norm_terms(s.enter(x), Shape{2, 3}, Shape{0, 3}, epsilon, true);
  if (scale.defined()) s.w = s.channel(scale);
  return s;
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0);
  const Setting s = setting(x, a.tensor(1), a.f(3), a.i(4), a.text(5));
  Tensor out = scaled_by(s.terms.n, s.w);
  if (a.has(2)) out = out + s.channel(a.tensor(2));
  const Tensor wide = s.enter(x), center = mean(wide, Shape{2, 3}, true);
  const Tensor gap = wide - center;
  return {s.leave(out, x), squeeze(center, Shape{2, 3}), mean(gap * gap, Shape{2, 3}, false)};
}

TensorList decompose_backward(Args& a) {
  const Tensor x = a.tensor(0);
  const Setting s = setting(x, a.tensor(1), a.f(6), a.i(7), a.text(8));
  const NormGrads g = norm_grads(s.terms, s.w, s.enter(a.tensor(5)));
  return {s.leave(g.x, x), grad_like(g.w, a.tensor(1)), grad_like(g.b, a.tensor(2))};
}

void vjp_forward(Vjp& v) {
  if (!v.has_grad(0)) return;
  const auto g = group_norm_grad(v.in(0), v.in(1), v.in(2), v.out(1), v.out(2), v.grad(0), v.f(3),
                                 v.i(4), v.text(5));
  for (int k = 0; k < 3; ++k) {
    if (v.has(k) && v.needs(k)) v.set(k, g[static_cast<size_t>(k)]);
  }
}

void infer_instance(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 2);
  const Shape& x = c.shape(0);
  check_affine(c, 1, x[1]);
  check_affine(c, 2, x[1]);
  const Shape rows{x[0] * x[1]};
  c.out(0, x, c.dtype(0));
  c.out(1, rows, statistic_dtype(c.dtype(0)));
  c.out(2, rows, statistic_dtype(c.dtype(0)));
}

// Of a number of channels that varies or is 0: each is a sample of one group.
TensorList decompose_instance_rows(Args& a) {
  const Tensor x = a.tensor(0);
  Shape rows = x.shape(), channel(rows.size(), Dim(1));
  rows[0] = rows[0] * rows[1];
  channel[1] = x.shape()[1];
  rows[1] = 1;
  const auto r = group_norm(reshape(x, rows), Tensor(), Tensor(), a.f(3), 1, "NCHW");
  Tensor y = reshape(r[0], x.shape());
  if (a.tensor(1).defined()) y = y * reshape(as_dtype(a.tensor(1), y.dtype()), channel);
  if (a.tensor(2).defined()) y = y + reshape(as_dtype(a.tensor(2), y.dtype()), channel);
  return {y, reshape(r[1], Shape{-1}), reshape(rsqrt(r[2] + Scalar(a.f(3))), Shape{-1})};
}

TensorList decompose_instance(Args& a) {
  const Tensor x = a.tensor(0), scale = a.tensor(1);
  // An affine form names the channels even where those of x vary.
  const Dim channels = scale.defined() ? scale.shape()[0] : x.shape()[1];
  if (channels.is_symbolic() || channels == Dim(0)) return decompose_instance_rows(a);
  const auto r = group_norm(x, scale, a.tensor(2), a.f(3), channels.value(), "NCHW");
  const Tensor deviation = rsqrt(r[2] + Scalar(a.f(3)));
  return {r[0], reshape(r[1], Shape{-1}), reshape(deviation, Shape{-1})};
}

}  // namespace

void register_group_norm(Registry& r) {
  r.op("group_norm")
      .schema(
          "group_norm(Tensor x, Tensor? scale, Tensor? bias, double epsilon=1e-5, int groups=-1, "
          "str data_format=\"NCHW\") -> (Tensor y, Tensor mean, Tensor variance)")
      .doc(
          "(x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance over the "
          "channels of a group and all positions of a sample; scale and bias per channel.",
          "paddle._C_ops.group_norm(paddle.ones([2, 4, 3]), None, None, 1e-5, 2, 'NCHW')")
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .no_grad_result("mean")
      .no_grad_result("variance")
      .saves({"x", "scale", "bias", "mean", "variance"})
      .vjp(vjp_forward)
      .rank(3)
      .decompose(decompose_forward);

  r.op("group_norm_grad")
      .schema(
          "group_norm_grad(Tensor x, Tensor? scale, Tensor? bias, Tensor mean, Tensor variance, "
          "Tensor y_grad, double epsilon=1e-5, int groups=-1, str data_format=\"NCHW\") -> (Tensor "
          "x_grad, Tensor? scale_grad, Tensor? bias_grad)")
      .doc("Gradient of group_norm by x, scale and bias.",
           "x = paddle.ones([2, 4, 3])\n"
           "y, m, v = paddle._core.ops.group_norm(x, None, None, 1e-5, 2, 'NCHW')\n"
           "paddle._C_ops.group_norm_grad(x, None, None, y, m, v, y, 1e-5, 2, 'NCHW')")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_backward)
      .decompose(decompose_backward);

  r.op("instance_norm")
      .schema(
          "instance_norm(Tensor x, Tensor? scale, Tensor? bias, float epsilon=1e-5) -> (Tensor y, "
          "Tensor saved_mean, Tensor saved_variance)")
      .doc(
          "group_norm with one channel per group (Ulyanov et al. 2016); saved_variance is 1 / "
          "sqrt(variance + epsilon).",
          "paddle._C_ops.instance_norm(paddle.ones([2, 4, 3]), None, None, 1e-5)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_instance)
      .no_grad_result("saved_mean")
      .no_grad_result("saved_variance")
      .decompose(decompose_instance);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// batch_norm_: normalisation of every channel over batch and space, with running statistics that
// are updated in place while training.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/norm.h"
#include "phi_kernels/ops/norm/derivatives.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

DType statistic_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

size_t channel_axis(const Shape& x, std::string_view format) {
  return x.size() > 2 && format.back() == 'C' ? x.size() - 1 : 1;
}

std::string_view format_of(const Infer& c, int k) {
  const std::string_view format = c.text(k);
  PADDLE_CHECK_VALUE(!format.empty() && format.front() == 'N', c.op_name(), ": data_format is '",
                     format, "'; it must be one of NC, NCL, NCHW, NCDHW, NLC, NHWC, NDHWC.");
  return format;
}

// arguments: x, mean, variance, scale, bias, is_test, momentum, epsilon, data_format,
// use_global_stats, trainable_statistics
void infer_forward(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 2);
  const Shape& x = c.shape(0);
  const std::string_view format = format_of(c, 8);
  const Dim channels = x[channel_axis(x, format)];
  const DType wide = statistic_dtype(c.dtype(0));
  for (int k = 1; k <= 4; ++k) {
    if (!c.has(k)) continue;
    PADDLE_CHECK_VALUE(c.rank(k) == 1 && decide_eq(c.shape(k)[0], channels, true), c.op_name(),
                       ": ", c.arg_name(k), " has shape ", c.shape(k), " and x has ", channels,
                       " channels (shape ", x, ", data_format ", format,
                       "); it must have one value per channel.");
    PADDLE_CHECK_TYPE(c.dtype(k) == wide, c.op_name(), ": ", c.arg_name(k), " has dtype ",
                      c.dtype(k), " and x has dtype ", c.dtype(0), "; it must be ", wide,
                      "; cast it with astype().");
  }
  c.out(0, x, c.dtype(0));
  for (int k = 1; k <= 4; ++k) c.out(k, Shape{channels}, wide);
  c.absent(5);
}

// arguments: x, scale, bias, mean_out, variance_out, saved_mean, saved_variance, reserve_space,
// out_grad, momentum, epsilon, data_format, is_test, use_global_stats, trainable_statistics
void infer_backward(Infer& c) {
  c.require_rank_at_least(0, 2);
  c.require_like(0, 8);
  const std::string_view format = format_of(c, 11);
  for (int k = 1; k <= 6; ++k) {
    if (!c.has(k)) continue;
    c.require_shape(k, Shape{c.shape(0)[channel_axis(c.shape(0), format)]});
    c.require_dtype(k, statistic_dtype(c.dtype(0)));
  }
  c.out(0, c.shape(0), c.dtype(0));
  if (c.has(1)) c.out(1, c.shape(1), c.dtype(1));
  if (c.has(2)) c.out(2, c.shape(2), c.dtype(2));
}

struct Setting {
  NormTerms terms;
  Shape channel_shape;  // [1, C, 1, 1]
  Tensor w;
  DType wide;
};

Setting setting(const Tensor& x, const Tensor& scale, std::string_view format, double epsilon) {
  Setting s;
  const size_t channel = channel_axis(x.shape(), format);
  Shape axes;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    s.channel_shape.push_back(i == channel ? x.shape()[i] : Dim(1));
    if (i != channel) axes.push_back(static_cast<int64_t>(i));
  }
  s.wide = statistic_dtype(x.dtype());
  s.terms = norm_terms(as_dtype(x, s.wide), axes, axes, epsilon, true);
  if (scale.defined()) s.w = reshape(scale, s.channel_shape);
  return s;
}

// The same with given statistics, which are constants.
Setting fixed_setting(const Tensor& x, const Tensor& scale, std::string_view format,
                      const Tensor& mean_, const Tensor& factor) {
  Setting s;
  const size_t channel = channel_axis(x.shape(), format);
  for (size_t i = 0; i < x.shape().size(); ++i) {
    s.channel_shape.push_back(i == channel ? x.shape()[i] : Dim(1));
    if (i != channel) s.terms.sum_axes_.push_back(static_cast<int64_t>(i));
  }
  s.wide = statistic_dtype(x.dtype());
  s.terms.r = reshape(factor, s.channel_shape);
  s.terms.n = (as_dtype(x, s.wide) - reshape(mean_, s.channel_shape)) * s.terms.r;
  if (scale.defined()) s.w = reshape(scale, s.channel_shape);
  return s;
}

// Whether every channel is known to hold one value. Its variance says nothing, so that training
// leaves such x as it is, and the running statistics too.
bool holds_one_value(const Tensor& x, std::string_view format) {
  const size_t channel = channel_axis(x.shape(), format);
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (i != channel && (x.shape()[i].is_symbolic() || x.shape()[i].value() != 1)) return false;
  }
  return true;
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0), old_mean = a.tensor(1), old_variance = a.tensor(2);
  const bool fixed = (a.b(5) && !a.b(10)) || a.b(9);
  const double momentum = a.f(6), epsilon = a.f(7);
  Tensor centre = old_mean, variance = old_variance, mean_out = old_mean,
         variance_out = old_variance;
  if (!fixed && holds_one_value(x, a.text(8))) {
    const Tensor none = constant_like(old_mean, 0);
    return {x, old_mean, old_variance, none, none, Tensor()};
  }
  if (!fixed) {
    const Setting s = setting(x, Tensor(), a.text(8), epsilon);
    const Tensor wide = as_dtype(x, s.wide), middle = mean(wide, s.terms.axes, true);
    const Tensor d = wide - middle;
    centre = reshape(middle, old_mean.shape());
    variance = reshape(mean(d * d, s.terms.axes, true), old_variance.shape());
    mean_out = times(old_mean, momentum) + times(centre, 1 - momentum);
    variance_out = times(old_variance, momentum) + times(variance, 1 - momentum);
  }
  const Tensor factor = rsqrt(variance + Scalar(epsilon));
  const Setting s = fixed_setting(x, a.tensor(3), a.text(8), centre, factor);
  Tensor out = scaled_by(s.terms.n, s.w);
  if (a.has(4)) out = out + reshape(a.tensor(4), s.channel_shape);
  return {as_dtype(out, x.dtype()), mean_out, variance_out, centre, factor, Tensor()};
}

bool is_fixed(bool is_test, bool use_global, bool trainable) {
  return (is_test && !trainable) || use_global;
}

TensorList decompose_backward(Args& a) {
  const Tensor x = a.tensor(0), scale = a.tensor(1), bias = a.tensor(2);
  const bool fixed = is_fixed(a.b(12), a.b(13), a.b(14));
  if (!fixed && holds_one_value(x, a.text(11))) {
    return {a.tensor(8), scale.defined() ? constant_like(scale, 0) : Tensor(),
            bias.defined() ? constant_like(bias, 0) : Tensor()};
  }
  const Setting s = fixed ? fixed_setting(x, scale, a.text(11), a.tensor(5), a.tensor(6))
                          : setting(x, scale, a.text(11), a.f(10));
  const Tensor g = as_dtype(a.tensor(8), s.wide);
  const Tensor dx = fixed ? scaled_by(g, s.w) * s.terms.r : norm_grads(s.terms, s.w, g).x;
  const Tensor dw = scale.defined()
                        ? reshape(sum_axes(g * s.terms.n, s.terms.sum_axes_, true), scale.shape())
                        : Tensor();
  const Tensor db =
      bias.defined() ? reshape(sum_axes(g, s.terms.sum_axes_, true), bias.shape()) : Tensor();
  return {as_dtype(dx, x.dtype()), dw, db};
}

void vjp_forward(Vjp& v) {
  if (!v.has_grad(0)) return;
  const auto grads =
      batch_norm_grad(v.in(0), v.in(3), v.in(4), Tensor(), Tensor(), v.out(3), v.out(4), Tensor(),
                      v.grad(0), v.f(6), v.f(7), v.text(8), v.b(5), v.b(9), v.b(10));
  v.set(0, grads[0]);
  if (v.has(3)) v.set(3, grads[1]);
  if (v.has(4)) v.set(4, grads[2]);
}

void vjp_backward(Vjp& v) {
  const Tensor x = v.in(0), scale = v.in(1);
  const bool fixed = is_fixed(v.b(12), v.b(13), v.b(14));
  if (!fixed && holds_one_value(x, v.text(11))) {
    if (v.needs(8) && v.has_grad(0)) v.set(8, v.grad(0));
    return;
  }
  const Setting s = fixed ? fixed_setting(x, scale, v.text(11), v.in(5), v.in(6))
                          : setting(x, scale, v.text(11), v.f(10));
  const Tensor g = as_dtype(v.in(8), s.wide);
  Tensor a, b, c;
  if (v.has_grad(0)) a = as_dtype(v.grad(0), s.wide);
  if (v.has(1) && v.has_grad(1)) b = reshape(v.grad(1), s.channel_shape);
  if (v.has(2) && v.has_grad(2)) c = reshape(v.grad(2), s.channel_shape);
  NormSecondGrads second;
  if (!fixed) {
    second = norm_second_grads(s.terms, s.w, g, a, b, c);
  } else {
    if (a.defined()) {
      second.g = scaled_by(a, s.w) * s.terms.r;
      if (s.w.defined()) second.w = sum_axes(g * a * s.terms.r, s.terms.sum_axes_, true);
    }
    if (b.defined()) {
      second.g = plus(second.g, b * s.terms.n);
      second.x = s.terms.r * b * g;
    }
    if (c.defined()) second.g = plus(second.g, expand(c, g.shape()));
  }
  if (v.needs(0) && second.x.defined()) v.set(0, second.x);
  if (v.has(1) && v.needs(1) && second.w.defined()) v.set(1, reshape(second.w, scale.shape()));
  if (v.needs(8) && second.g.defined()) v.set(8, second.g);
}

}  // namespace

void register_batch_norm(Registry& r) {
  r.op("batch_norm_")
      .schema(
          "batch_norm_(Tensor x, Tensor mean, Tensor variance, Tensor? scale, Tensor? bias, bool "
          "is_test, float momentum, float epsilon, str data_format, bool use_global_stats, bool "
          "trainable_statistics) -> (Tensor out, Tensor mean_out, Tensor variance_out, Tensor "
          "saved_mean, Tensor saved_variance, Tensor? reserve_space)")
      .doc(
          "(x - mean) / sqrt(variance + epsilon) * scale + bias per channel. While training the "
          "statistics are the batch's and move the running ones, in place: running = momentum * "
          "running + (1 - momentum) * batch. saved_variance is the inverse standard deviation. "
          "Channels of one value are left as they are while training.",
          "paddle._C_ops.batch_norm_(paddle.ones([2, 3, 4]), paddle.zeros([3]), paddle.ones([3]), "
          "paddle.ones([3]), paddle.zeros([3]), False, 0.9, 1e-5, 'NCHW', False, False)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .inplace({{"mean", "mean_out"}, {"variance", "variance_out"}})
      .upgrade("sync_batch_norm")  // the statistics of all processes are those of one
      .no_grad_result("mean_out")
      .no_grad_result("variance_out")
      .no_grad_result("saved_mean")
      .no_grad_result("saved_variance")
      .no_grad_result("reserve_space")
      .follows_layout({"x"}, {"out"}, "data_format")
      .saves({"x", "scale", "bias", "saved_mean", "saved_variance"})
      .vjp(vjp_forward)
      .spmd(sharding::by_decomposition)
      .decompose(decompose_forward);

  r.op("batch_norm_grad")
      .schema(
          "batch_norm_grad(Tensor x, Tensor? scale, Tensor? bias, Tensor? mean_out, Tensor? "
          "variance_out, Tensor saved_mean, Tensor saved_variance, Tensor? reserve_space, Tensor "
          "out_grad, float momentum, float epsilon, str data_format, bool is_test, bool "
          "use_global_stats, bool trainable_statistics) -> (Tensor x_grad, Tensor? scale_grad, "
          "Tensor? bias_grad)")
      .doc("Gradient of batch_norm_ by x, scale and bias.",
           "paddle._C_ops.batch_norm_grad(paddle.ones([2, 3]), None, None, None, None, "
           "paddle.zeros([3]), paddle.ones([3]), None, paddle.ones([2, 3]), 0.9, 1e-5, 'NCHW', "
           "False, False, False)")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_backward)
      .follows_layout({"x", "out_grad"}, {"x_grad"}, "data_format")
      .saves({"x", "scale", "saved_mean", "saved_variance", "out_grad"})
      .vjp(vjp_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops

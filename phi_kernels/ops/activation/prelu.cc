// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rectifiers whose slope is learned or drawn: prelu, rrelu.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/random.h"

namespace paddle::ops {
namespace {

bool channels_last(std::string_view format) { return format.size() > 2 && format.back() == 'C'; }

// alpha as it broadcasts against x.
Tensor slopes(const Tensor& x, const Tensor& alpha, std::string_view format) {
  if (decide_eq(alpha.shape().empty() ? Dim(1) : numel_of(alpha.shape()), 1, false)) {
    return reshape(alpha, Shape(static_cast<size_t>(std::max<int64_t>(x.ndim(), 0)), Dim(1)));
  }
  if (alpha.ndim() == x.ndim()) return alpha;  // one per element
  Shape shape(static_cast<size_t>(x.ndim()), Dim(1));
  shape[channels_last(format) ? shape.size() - 1 : std::min<size_t>(1, shape.size() - 1)] =
      numel_of(alpha.shape());
  return reshape(alpha, shape);
}

void infer_prelu(Infer& c) {
  c.require_floating(0);
  c.require_same_dtype(0, 1);
  const Shape &x = c.shape(0), &alpha = c.shape(1);
  const std::string_view mode = c.text(3);
  PADDLE_CHECK_VALUE(mode == "all" || mode == "channel" || mode == "element", "prelu: mode is \"",
                     mode, "\"; it must be \"all\", \"channel\" or \"element\".");
  if (!decide_eq(numel_of(alpha), 1, false)) {
    c.require_rank_at_least(0, mode == "channel" ? 2 : 1);
    const size_t channel =
        channels_last(c.text(2)) ? x.size() - 1 : std::min<size_t>(1, x.size() - 1);
    bool fits = true;
    if (alpha.size() == x.size()) {
      for (size_t i = 0; fits && i < x.size(); ++i) {
        fits = decide_eq(alpha[i], 1, false) || decide_eq(alpha[i], x[i], true);
      }
    }
    if (alpha.size() != x.size() || mode == "channel") {
      fits = fits && decide_eq(numel_of(alpha), x[channel], true);
    }
    PADDLE_CHECK_VALUE(fits, "prelu: alpha has shape ", alpha, " and x has shape ", x,
                       "; alpha needs one slope, one per channel, ", x[channel],
                       ", or one per element.");
  }
  c.out(0, x, c.dtype(0));
}

Tensor positive(const Tensor& x) { return greater_than(x, constant_like(x, 0)); }

void infer_rrelu(Infer& c) {
  PADDLE_CHECK_VALUE(c.f(1) >= 0 && c.f(1) <= c.f(2) && c.f(2) <= 1, "rrelu: lower is ", c.f(1),
                     " and upper ", c.f(2), "; use 0 <= lower <= upper <= 1.");
  infer::same_as_x_float(c);
  c.out(1, c.shape(0), c.dtype(0));
}

TensorList decompose_rrelu(Args& a) {
  const Tensor x = a.tensor(0);
  const Tensor one = full_like(x, Scalar(1.0), x.dtype(), x.place());
  Tensor slope = times(one, (a.f(1) + a.f(2)) / 2);
  if (!a.b(3)) slope = uniform(x.shape(), x.dtype(), Scalar(a.f(1)), Scalar(a.f(2)), 0, x.place());
  const Tensor noise = where(less_than(x, constant_like(x, 0)), slope, one);
  return {x * noise, noise};
}

}  // namespace

void register_prelu(Registry& r) {
  r.op("prelu")
      .schema(
          "prelu(Tensor x, Tensor alpha, str data_format=\"NCHW\", str mode=\"all\") -> (Tensor "
          "out)")
      .doc("x where x > 0, else alpha * x; alpha is one number, or one per channel.",
           "paddle.nn.functional.prelu(paddle.to_tensor([[-1.0, 2.0]]), paddle.to_tensor([0.25]))")
      .infer(infer_prelu)
      .saves({"x", "alpha"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), w = slopes(x, v.in(1), v.text(2));
        const Tensor plus_side = positive(x);
        if (v.needs(0)) v.set(0, where(plus_side, v.grad(), v.grad() * w));
        if (!v.needs(1)) return;
        Tensor dw = where(plus_side, constant_like(x, 0), v.grad() * x);
        Shape axes;
        for (int64_t i = 0; i < x.ndim(); ++i) {
          if (decide_eq(w.shape()[static_cast<size_t>(i)], 1, false)) axes.push_back(i);
        }
        if (!axes.empty()) dw = sum_axes(dw, axes, true);
        v.set(1, reshape(dw, v.in(1).shape()));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {where(positive(x), x, x * slopes(x, a.tensor(1), a.text(2)))};
      });
  r.op("rrelu")
      .schema(
          "rrelu(Tensor x, float lower=0.125, float upper=0.3333333333333333, bool "
          "is_test=false) -> (Tensor out, Tensor noise)")
      .doc(
          "x where x >= 0, else x times a slope drawn from [lower, upper] (its middle with "
          "is_test) (Xu et al. 2015). noise holds the factors.",
          "paddle.nn.functional.rrelu(paddle.to_tensor([-1.0, 2.0]))")
      .infer(infer_rrelu)
      .decompose(decompose_rrelu);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Activations that join channels or have a slope of their own: swiglu, glu, prelu, rrelu, maxout,
// gumbel_softmax.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/creation/counted.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/random.h"

namespace paddle::ops {
namespace {

// ---- swiglu -----------------------------------------------------------------------------------

void infer_swiglu(Infer& c) {
  c.require_floating(0);
  if (c.has(1)) {
    bool same = c.rank(0) == c.rank(1);
    for (int64_t i = 0; same && i < c.rank(0); ++i) {
      same =
          decide_eq(c.shape(0)[static_cast<size_t>(i)], c.shape(1)[static_cast<size_t>(i)], true);
    }
    PADDLE_CHECK_VALUE(same, "swiglu: x has shape ", c.shape(0), " and y has shape ", c.shape(1),
                       "; they must be equal.");
    c.require_same_dtype(0, 1);
    return c.out(0, c.shape(0), c.dtype(0));
  }
  c.require_rank_at_least(0, 1);
  Shape shape = c.shape(0);
  PADDLE_CHECK_VALUE(decide_eq(mod(shape.back(), 2), 0, true), "swiglu: x has shape ", shape,
                     "; without y its last axis is halved and must be even.");
  shape[shape.size() - 1] = floordiv(shape.back(), 2);
  c.out(0, shape, c.dtype(0));
}

TensorList halves(const Tensor& x) { return split_with_num(x, 2, Scalar(int64_t{-1})); }

void vjp_swiglu(Vjp& v) {
  if (v.has(1) && v.needs(0) && v.needs(1)) {
    const auto grads = swiglu_grad(v.in(0), v.in(1), v.grad());
    v.set(0, grads[0]);
    v.set(1, grads[1]);
    return;
  }
  if (v.has(1)) {
    if (v.needs(0)) v.set(0, silu_grad(v.in(0), v.grad() * v.in(1)));
    if (v.needs(1)) v.set(1, v.grad() * silu(v.in(0)));
    return;
  }
  const TensorList x = halves(v.in(0));
  v.set(0, concat({silu_grad(x[0], v.grad() * x[1]), v.grad() * silu(x[0])}, Scalar(int64_t{-1})));
}

void infer_swiglu_grad(Infer& c) {
  c.require_floating(0);
  for (int i : {1, 2}) {
    c.require_same_dtype(0, i);
    PADDLE_CHECK_VALUE(c.shape(i) == c.shape(0), "swiglu_grad: x has shape ", c.shape(0), " and ",
                       c.arg_name(i), " has shape ", c.shape(i), "; they must be equal.");
  }
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(0), c.dtype(0));
}

TensorList decompose_swiglu_grad(Args& a) {
  const Tensor x = a.tensor(0), g = a.tensor(2);
  return {silu_grad(x, g * a.tensor(1)), g * silu(x)};
}

TensorList decompose_swiglu(Args& a) {
  if (a.has(1)) return {silu(a.tensor(0)) * a.tensor(1)};
  const TensorList x = halves(a.tensor(0));
  return {silu(x[0]) * x[1]};
}

// ---- glu --------------------------------------------------------------------------------------

void infer_glu(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  Shape shape = c.shape(0);
  const size_t axis = static_cast<size_t>(c.axis(1, c.rank(0)));
  PADDLE_CHECK_VALUE(decide_eq(mod(shape[axis], 2), 0, true), "glu: x has shape ", shape, "; axis ",
                     c.i(1), " is halved and must be even.");
  shape[axis] = floordiv(shape[axis], 2);
  c.out(0, shape, c.dtype(0));
}

void vjp_glu(Vjp& v) {
  const Scalar axis(v.i(1));
  const TensorList x = split_with_num(v.in(0), 2, axis);
  const Tensor gate = sigmoid(x[1]);
  v.set(0, concat({v.grad() * gate, sigmoid_grad(gate, v.grad() * x[0])}, axis));
}

// ---- prelu ------------------------------------------------------------------------------------

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

// ---- rrelu ------------------------------------------------------------------------------------

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

// ---- maxout -----------------------------------------------------------------------------------

Shape maxout_shape(const Shape& x, int64_t axis, int64_t groups) {
  Shape split(x.begin(), x.begin() + axis);
  split.push_back(floordiv(x[static_cast<size_t>(axis)], groups));
  split.push_back(groups);
  for (size_t i = static_cast<size_t>(axis) + 1; i < x.size(); ++i) split.push_back(x[i]);
  return split;
}

void infer_maxout(Infer& c) {
  c.require_floating(0);
  const int64_t axis = c.axis(2, c.rank(0)), groups = c.i(1);
  PADDLE_CHECK_VALUE(
      groups > 1 && decide_eq(mod(c.shape(0)[static_cast<size_t>(axis)], groups), 0, true),
      "maxout: groups is ", groups, " and x has shape ", c.shape(0),
      "; groups must be greater than 1 and divide axis ", axis, ".");
  Shape shape = c.shape(0);
  shape[static_cast<size_t>(axis)] = floordiv(shape[static_cast<size_t>(axis)], groups);
  c.out(0, shape, c.dtype(0));
}

TensorList decompose_maxout(Args& a) {
  const Tensor x = a.tensor(0);
  const int64_t axis = a.i(2) < 0 ? a.i(2) + x.ndim() : a.i(2);
  return {max(reshape(x, maxout_shape(x.shape(), axis, a.i(1))), Shape{axis + 1}, false)};
}

// The first of equal channels receives the gradient.
void maxout_vjp(Vjp& v) {
  const Tensor x = v.in(0);
  const int64_t axis = (v.i(2) < 0 ? v.i(2) + x.ndim() : v.i(2)) + 1;
  const Tensor groups = reshape(x, maxout_shape(x.shape(), axis - 1, v.i(1)));
  const Tensor first = argmax(groups, Scalar(axis), true, false, DType::kInt64);
  const Tensor g = unsqueeze(v.grad(), Shape{axis});
  const Tensor none = full_like(groups, Scalar(0.0), g.dtype(), x.place());
  v.set(0, reshape(put_along_axis(none, first, g, axis, "assign", true), x.shape()));
}

// ---- gumbel_softmax ---------------------------------------------------------------------------

void infer_gumbel(Infer& c) {
  c.require_floating(0);
  PADDLE_CHECK_VALUE(c.f(1) > 0, "gumbel_softmax: temperature is ", c.f(1),
                     "; it must be greater than 0.");
  c.axis(3, c.rank(0));
  c.out(0, c.shape(0), c.dtype(0));
}

// The value of `hard` with the gradient of `soft`.
Tensor straight_through(const Tensor& hard, const Tensor& soft) {
  return hard + (soft - soft.detach());
}

TensorList decompose_gumbel(Args& a) {
  const Tensor x = a.tensor(0);
  // -log(-log(u)), u in (0, 1)
  const Tensor u = uniform(x.shape(), x.dtype(), Scalar(1e-20), Scalar(1.0), 0, x.place());
  const Tensor noise = -log(-log(maximum(u, constant_like(u, 1e-7))) + Scalar(1e-20));
  const Tensor y = softmax(times(x + noise, 1 / a.f(1)), a.i(3));
  if (!a.b(2)) return {y};
  const int64_t axis = a.i(3) < 0 ? a.i(3) + x.ndim() : a.i(3);
  const Tensor top = unsqueeze(argmax(y, Scalar(axis), false, false, DType::kInt64), Shape{axis});
  Shape positions(static_cast<size_t>(x.ndim()), Dim(1));
  positions[static_cast<size_t>(axis)] = x.shape()[static_cast<size_t>(axis)];
  const Tensor classes =
      reshape(counted(positions[static_cast<size_t>(axis)], x.place()), positions);
  return {straight_through(cast(equal(top, classes), y.dtype()), y)};
}

}  // namespace

void register_gated(Registry& r) {
  r.op("swiglu")
      .schema("swiglu(Tensor x, Tensor? y) -> (Tensor out)")
      .doc("silu(x) * y; without y, x is halved along its last axis.",
           "paddle.nn.functional.swiglu(paddle.ones([2, 4]))")
      .python("paddle.nn.functional.swiglu(x, y=None, name=None)")
      .python("paddle.incubate.nn.functional.swiglu(x, y=None, name=None)")
      .infer(infer_swiglu)
      .saves({"x", "y"})
      .vjp(vjp_swiglu)
      .decompose(decompose_swiglu);

  r.op("glu")
      .schema("glu(Tensor x, int axis=-1) -> (Tensor out)")
      .doc("The first half along an axis times the sigmoid of the second.",
           "paddle.nn.functional.glu(paddle.to_tensor([4.0, 0.0]))")
      .infer(infer_glu)
      .saves({"x"})
      .vjp(vjp_glu)
      .decompose([](Args& a) -> TensorList {
        const TensorList x = split_with_num(a.tensor(0), 2, Scalar(a.i(1)));
        return {x[0] * sigmoid(x[1])};
      });

  r.op("swiglu_grad")
      .schema("swiglu_grad(Tensor x, Tensor y, Tensor out_grad) -> (Tensor x_grad, Tensor y_grad)")
      .doc("Gradient of swiglu by x and y.",
           "paddle._C_ops.swiglu_grad(paddle.ones([2, 4]), paddle.ones([2, 4]), "
           "paddle.ones([2, 4]))")
      .infer(infer_swiglu_grad)
      .decompose(decompose_swiglu_grad);

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

  r.op("maxout")
      .schema("maxout(Tensor x, int groups, int axis=1) -> (Tensor out)")
      .doc("The maximum over groups of neighbouring channels (Goodfellow et al. 2013).",
           "paddle.nn.functional.maxout(paddle.ones([1, 4, 2, 2]), 2)")
      .python("paddle.nn.functional.maxout(x, groups, axis=1, name=None)")
      .infer(infer_maxout)
      .saves({"x"})
      .vjp(maxout_vjp)
      .decompose(decompose_maxout);

  r.op("gumbel_softmax")
      .schema(
          "gumbel_softmax(Tensor x, float temperature=1.0, bool hard=false, int axis=-1) -> "
          "(Tensor out)")
      .alias("logits", "x")
      .alias("tau", "temperature")
      .doc(
          "Samples softmax((x + noise) / temperature) with Gumbel noise (Jang et al. 2017); hard "
          "gives one-hot values with the gradient of the soft ones.",
          "paddle.nn.functional.gumbel_softmax(paddle.ones([2, 3]))")
      .python(
          "paddle.nn.functional.gumbel_softmax(x, temperature=1.0, hard=False, axis=-1, name=None)")
      .infer(infer_gumbel)
      .decompose(decompose_gumbel);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fused gradients of pointwise activations: one pass over memory instead of one per factor. Their
// own derivatives are those of the formulas here.
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/elementwise/smooth_product.h"

namespace paddle::ops {
namespace {

Tensor above(const Tensor& x, double limit) {
  return greater_than(x, scalar_like(x, Scalar(limit)));
}
Tensor not_below(const Tensor& x, double limit) {
  return greater_equal(x, scalar_like(x, Scalar(limit)));
}
Tensor inside(const Tensor& x, double low, double high) {
  return logical_and(above(x, low), less_than(x, scalar_like(x, Scalar(high))));
}
Tensor low_part(const Tensor& x) { return minimum(x, zero_of(x)); }

constexpr double kRootTwoOverPi = 0.79788456080286536;

Tensor gelu_slope(const Tensor& x, bool approximate) {
  if (approximate) {
    const Tensor t = tanh((x + x * square(x) * Scalar(0.044715)) * Scalar(kRootTwoOverPi));
    const Tensor inner = square(x) * Scalar(0.134145 * kRootTwoOverPi) + Scalar(kRootTwoOverPi);
    return (t + Scalar(1)) * Scalar(0.5) + x * (Scalar(1) - square(t)) * inner * Scalar(0.5);
  }
  const Tensor cdf = (erf(x * Scalar(0.70710678118654752)) + Scalar(1)) * Scalar(0.5);
  return cdf + x * exp(square(x) * Scalar(-0.5)) * Scalar(0.39894228040143268);
}

// The second derivative of the tanh form: with u = k (x + c x^3) and t = tanh u,
// (1 - t^2) (u' + x u'' / 2 - x t u'^2).
Tensor gelu_curvature(const Tensor& x) {
  const Tensor t = tanh((x + x * square(x) * Scalar(0.044715)) * Scalar(kRootTwoOverPi));
  const Tensor u1 = square(x) * Scalar(0.134145 * kRootTwoOverPi) + Scalar(kRootTwoOverPi);
  const Tensor half_u2 = x * Scalar(0.134145 * kRootTwoOverPi);
  return (Scalar(1) - square(t)) * (u1 + x * half_u2 - x * t * square(u1));
}

void register_of_results(Registry& r) {
  r.op("sigmoid_grad")
      .schema("sigmoid_grad(Tensor out, Tensor out_grad) -> (Tensor x_grad)")
      .doc("Gradient of sigmoid.", "paddle._C_ops.sigmoid_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .saves({"out", "out_grad"})
      .vjp([](Vjp& v) {
        const Tensor y = v.in(0);
        if (v.needs(1)) v.set(1, sigmoid_grad(y, v.grad()));
        if (v.needs(0)) v.set(0, smooth(y, {v.in(1), v.grad()}, kPower, {1, -2}));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {g * y * (Scalar(1) - y)};
      });
  r.op("tanh_grad")
      .schema("tanh_grad(Tensor out, Tensor out_grad) -> (Tensor x_grad)")
      .doc("Gradient of tanh.", "paddle._C_ops.tanh_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .saves({"out", "out_grad"})
      .vjp([](Vjp& v) {
        if (v.needs(1)) v.set(1, tanh_grad(v.in(0), v.grad()));
        if (v.needs(0)) v.set(0, smooth(v.in(0), {v.in(1), v.grad()}, kPower, {0, -2}));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {g * (Scalar(1) - square(y))};
      });
  r.op("relu_grad")
      .schema("relu_grad(Tensor out, Tensor out_grad) -> (Tensor out_grad)")
      .doc("Gradient of relu.", "paddle._C_ops.relu_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .saves({"out"})
      .vjp([](Vjp& v) {
        if (v.needs(1)) v.set(1, relu_grad(v.in(0), v.grad()));
      })
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        return {masked(greater_than(a.tensor(0), zero_of(a.tensor(0))), a.tensor(1))};
      });
  r.op("relu6_grad")
      .schema("relu6_grad(Tensor out, Tensor out_grad) -> (Tensor x_grad)")
      .doc("Gradient of relu6.", "paddle._C_ops.relu6_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {masked(inside(y, 0, 6), g)};
      });
  r.op("hardsigmoid_grad")
      .schema(
          "hardsigmoid_grad(Tensor out, Tensor out_grad, float slope=0.1666667) -> (Tensor x_grad)")
      .doc("Gradient of hardsigmoid.",
           "paddle._C_ops.hardsigmoid_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {masked(inside(y, 0, 1), g * Scalar(a.f(2)))};
      });
}

void register_of_products(Registry& r) {
  r.op("silu_grad")
      .schema("silu_grad(Tensor x, Tensor out_grad) -> (Tensor x_grad)")
      .doc("Gradient of silu.",
           "x = paddle.ones([2])\n"
           "paddle._C_ops.silu_grad(x, paddle.nn.functional.silu(x), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .saves({"x", "out_grad"})
      .vjp([](Vjp& v) {
        if (v.needs(1)) v.set(1, silu_grad(v.in(0), v.grad()));
        if (!v.needs(0)) return;
        // (x s)'' = s' (2 + x (1 - 2 s))
        v.set(0, smooth(v.in(0), {v.in(1), v.grad()}, kLogistic, {2, 0, 1, -2}));
      })
      .rank(3)
      .decompose([](Args& a) -> TensorList {
        return {a.tensor(1) * (sigmoid(a.tensor(0)) + a.tensor(0) * sigmoid(a.tensor(0)) *
                                                          (Scalar(1) - sigmoid(a.tensor(0))))};
      });
  r.op("gelu_grad")
      .schema("gelu_grad(Tensor x, Tensor out_grad, bool approximate=false) -> (Tensor x_grad)")
      .doc("Gradient of gelu.", "paddle._C_ops.gelu_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .saves({"x", "out_grad"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), g = v.in(1);
        if (v.needs(1)) v.set(1, gelu_grad(x, v.grad(), v.b(2)));
        if (!v.needs(0)) return;
        // Exact: (Phi + x phi)' = phi (2 - x^2).
        v.set(0, v.b(2) ? g * v.grad() * gelu_curvature(x)
                        : smooth(x, {g, v.grad()}, kNormal, {0, 2, 0, -1}));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {g * gelu_slope(y, a.b(2))};
      });
}

void register_of_inputs(Registry& r) {
  r.op("leaky_relu_grad")
      .schema(
          "leaky_relu_grad(Tensor x, Tensor out_grad, double negative_slope=0.01) -> (Tensor "
          "x_grad)")
      .doc("Gradient of leaky_relu.",
           "paddle._C_ops.leaky_relu_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {where(less_than(y, zero_of(y)), g * Scalar(a.f(2)), g)};
      });
  r.op("elu_grad")
      .schema("elu_grad(Tensor x, Tensor out_grad, float alpha=1.0) -> (Tensor x_grad)")
      .doc("Gradient of elu.",
           "x = paddle.ones([2])\n"
           "paddle._C_ops.elu_grad(x, paddle.nn.functional.elu(x), paddle.ones([2]), 1.0)")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {where(above(y, 0), g, g * exp(low_part(y)) * Scalar(a.f(2)))};
      });
  r.op("softplus_grad")
      .schema(
          "softplus_grad(Tensor x, Tensor out_grad, double beta=1.0, double threshold=20.0) -> "
          "(Tensor x_grad)")
      .doc("Gradient of softplus.",
           "paddle._C_ops.softplus_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {where(above(y * Scalar(a.f(2)), a.f(3)), g, g * sigmoid(y * Scalar(a.f(2))))};
      });
  r.op("hardswish_grad")
      .schema("hardswish_grad(Tensor x, Tensor out_grad) -> (Tensor x_grad)")
      .doc("Gradient of hardswish.",
           "paddle._C_ops.hardswish_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {where(not_below(y, 3), g,
                      masked(above(y, -3), g * (y * Scalar(1.0 / 3) + Scalar(0.5))))};
      });
  r.op("mish_grad")
      .schema("mish_grad(Tensor x, Tensor out_grad) -> (Tensor x_grad)")
      .doc("Gradient of mish.", "paddle._C_ops.mish_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_both)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        const Tensor t = tanh(softplus(y, 1.0, 40.0));
        return {g * (t + y * (Scalar(1) - square(t)) * sigmoid(y))};
      });
}

void register_of_parameters(Registry& r) {
  r.op("celu_grad")
      .schema("celu_grad(Tensor x, Tensor out_grad, float alpha=1.0) -> (Tensor x_grad)")
      .doc("Gradient of celu.", "paddle._C_ops.celu_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_x)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {where(above(y, 0), g, g * exp(low_part(y) * Scalar(1 / a.f(2))))};
      });
  r.op("selu_grad")
      .schema(
          "selu_grad(Tensor x, Tensor out_grad, float scale=1.0507009873554805, float "
          "alpha=1.6732632423543772) -> (Tensor x_grad)")
      .doc("Gradient of selu.", "paddle._C_ops.selu_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_x)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {where(above(y, 0), g, g * exp(low_part(y)) * Scalar(a.f(3))) * Scalar(a.f(2))};
      });
  r.op("hardtanh_grad")
      .schema(
          "hardtanh_grad(Tensor x, Tensor out_grad, float t_min=-1.0, float t_max=1.0) -> (Tensor "
          "x_grad)")
      .doc("Gradient of hardtanh.",
           "paddle._C_ops.hardtanh_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_x)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {masked(inside(y, a.f(2), a.f(3)), g)};
      });
  r.op("hardshrink_grad")
      .schema("hardshrink_grad(Tensor x, Tensor out_grad, float threshold=0.5) -> (Tensor x_grad)")
      .doc("Gradient of hardshrink.",
           "paddle._C_ops.hardshrink_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_x)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {masked(not_below(abs(y), a.f(2)), g)};
      });
  r.op("softshrink_grad")
      .schema("softshrink_grad(Tensor x, Tensor out_grad, float threshold=0.5) -> (Tensor x_grad)")
      .doc("Gradient of softshrink.",
           "paddle._C_ops.softshrink_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_x)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {masked(above(abs(y), a.f(2)), g)};
      });
  r.op("thresholded_relu_grad")
      .schema(
          "thresholded_relu_grad(Tensor x, Tensor out_grad, float threshold=1.0) -> (Tensor "
          "x_grad)")
      .doc("Gradient of thresholded_relu.",
           "paddle._C_ops.thresholded_relu_grad(paddle.ones([2]), paddle.ones([2]))")
      .elementwise()
      .infer(infer::same_as_x)
      .decompose([](Args& a) -> TensorList {
        const Tensor y = a.tensor(0), g = a.tensor(1);
        return {masked(above(y, a.f(2)), g)};
      });
}

}  // namespace

void register_gradients(Registry& r) {
  register_of_results(r);
  register_of_products(r);
  register_of_inputs(r);
  register_of_parameters(r);
}

}  // namespace paddle::ops

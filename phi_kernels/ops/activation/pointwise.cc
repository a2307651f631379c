// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pointwise activations with parameters.
#include "phi_kernels/ops/activation.h"

#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

Tensor positive(const Tensor& x) { return greater_than(x, zero_of(x)); }
// min(x, 0): keeps exp from overflowing in the branch that is not taken.
Tensor low_part(const Tensor& x) { return minimum(x, zero_of(x)); }
Tensor beyond(const Tensor& x, double threshold) {
  return greater_than(abs(x), scalar_like(x, Scalar(threshold)));
}
void register_exponential_units(Registry& r) {
  r.op("celu")
      .schema("celu(Tensor x, float alpha=1.0) -> (Tensor out)")
      .doc("Elementwise: out = x where x > 0, else alpha * (exp(x / alpha) - 1).",
           "paddle.nn.functional.celu(paddle.to_tensor([-1.0, 0.5]))")
      .python("paddle.nn.functional.celu(x, alpha=1.0, name=None)")
      .elementwise()
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.f(1) != 0, "celu: alpha is 0; it divides x, so it must not be 0.");
        infer::same_as_x_float(c);
      })
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, celu_grad(v.in(0), v.grad(), v.f(1))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {where(positive(x), x, expm1(low_part(x) * Scalar(1 / a.f(1))) * Scalar(a.f(1)))};
      });
  r.op("selu")
      .schema(
          "selu(Tensor x, float scale=1.0507009873554805, float alpha=1.6732632423543772) -> "
          "(Tensor out)")
      .doc(
          "Elementwise: out = scale * x where x > 0, else scale * alpha * (exp(x) - 1) (Klambauer "
          "et al. 2017).",
          "paddle.nn.functional.selu(paddle.to_tensor([-1.0, 0.5]))")
      .python(
          "paddle.nn.functional.selu(x, scale=1.0507009873554805, alpha=1.6732632423543772, "
          "name=None)")
      .elementwise()
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.f(1) > 1, "selu: scale has value ", c.f(1),
                           "; it must be greater than 1.");
        PADDLE_CHECK_VALUE(c.f(2) >= 0, "selu: alpha has value ", c.f(2),
                           "; it must not be negative.");
        infer::same_as_x_float(c);
      })
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, selu_grad(v.in(0), v.grad(), v.f(1), v.f(2))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {where(positive(x), x, expm1(low_part(x)) * Scalar(a.f(2))) * Scalar(a.f(1))};
      });
}

void register_saturating_units(Registry& r) {
  r.op("softsign")
      .schema("softsign(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x / (1 + |x|).",
           "paddle.nn.functional.softsign(paddle.to_tensor([-1.0, 0.5]))")
      .python("paddle.nn.functional.softsign(x, name=None)")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Tensor size = abs(v.in(0)), s = reciprocal(size + Scalar(1.0));
        if (!is_complex(v.in(0).dtype())) return v.set(0, v.grad() * square(s));
        // |x| changes along x alone; at 0 that part of the gradient is 0.
        const Tensor along = real(v.grad() * conj(v.in(0))) * square(s);
        const Tensor at_zero = equal(size, zero_of(size));
        const Tensor divisor = where(at_zero, scalar_like(size, Scalar(1)), size);
        v.set(0, v.grad() * s - v.in(0) * masked(logical_not(at_zero), along / divisor));
      })
      .decompose(
          [](Args& a) -> TensorList { return {a.tensor(0) / (abs(a.tensor(0)) + Scalar(1.0))}; });
  r.op("stanh")
      .schema("stanh(Tensor x, float scale_a=0.67, float scale_b=1.7159) -> (Tensor out)")
      .doc("Elementwise: out = scale_b * tanh(scale_a * x).",
           "paddle.stanh(paddle.to_tensor([-1.0, 0.5]))")
      .python("paddle.stanh(x, scale_a=0.67, scale_b=1.7159, name=None)")
      .python("Tensor.stanh(x, scale_a=0.67, scale_b=1.7159, name=None)")
      .elementwise()
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Tensor t = tanh(v.in(0) * Scalar(v.f(1)));
        const Tensor slope = Scalar(1) - square(t);
        v.set(0,
              v.grad() * (is_complex(t.dtype()) ? conj(slope) : slope) * Scalar(v.f(1) * v.f(2)));
      })
      .decompose([](Args& a) -> TensorList {
        Tensor x = a.tensor(0);
        if (is_int_or_bool(x.dtype())) x = cast(x, DType::kFloat32);
        return {tanh(x * Scalar(a.f(1))) * Scalar(a.f(2))};
      });
}

void register_thresholds(Registry& r) {
  r.op("hardtanh")
      .schema("hardtanh(Tensor x, float t_min=-1.0, float t_max=1.0) -> (Tensor out)")
      .doc("Elementwise: out = min(max(x, t_min), t_max).",
           "paddle.nn.functional.hardtanh(paddle.to_tensor([-1.5, 0.5]))")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, hardtanh_grad(v.in(0), v.grad(), v.f(1), v.f(2))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {
            minimum(maximum(x, scalar_like(x, Scalar(a.f(1)))), scalar_like(x, Scalar(a.f(2))))};
      });
  r.op("hardshrink")
      .schema("hardshrink(Tensor x, float threshold=0.5) -> (Tensor out)")
      .doc("Elementwise: out = x where |x| >= threshold, else 0.",
           "paddle.nn.functional.hardshrink(paddle.to_tensor([-1.5, 0.25]))")
      .python("paddle.nn.functional.hardshrink(x, threshold=0.5, name=None)")
      .alias("input", "x")
      .alias("lambd", "threshold")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, hardshrink_grad(v.in(0), v.grad(), v.f(1))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {
            masked(logical_not(less_than(abs(x), scalar_like(x, Scalar(a.f(1))))), x)};  // NaN too
      });
  r.op("softshrink")
      .schema("softshrink(Tensor x, float threshold=0.5) -> (Tensor out)")
      .doc("Elementwise: out = x moved towards 0 by threshold, 0 where |x| <= threshold.",
           "paddle.nn.functional.softshrink(paddle.to_tensor([-1.5, 0.25]))")
      .python("paddle.nn.functional.softshrink(x, threshold=0.5, name=None)")
      .alias("input", "x")
      .alias("lambd", "threshold")
      .elementwise()
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.f(1) >= 0, "softshrink: threshold has value ", c.f(1),
                           "; it must not be negative.");
        infer::same_as_x_float(c);
      })
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, softshrink_grad(v.in(0), v.grad(), v.f(1))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {masked(logical_or(beyond(x, a.f(1)), isnan(x)), x - sign(x) * Scalar(a.f(1)))};
      });
  r.op("thresholded_relu")
      .schema("thresholded_relu(Tensor x, float threshold=1.0, float value=0.0) -> (Tensor out)")
      .doc("Elementwise: out = x where x > threshold, else value.",
           "paddle.nn.functional.thresholded_relu(paddle.to_tensor([1.5, 0.25]))")
      .python("paddle.nn.functional.thresholded_relu(x, threshold=1.0, value=0.0, name=None)")
      .inplace_python(
          "paddle.nn.functional.thresholded_relu_(x, threshold=1.0, value=0.0, name=None)")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, thresholded_relu_grad(v.in(0), v.grad(), v.f(1))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {where(greater_than(x, scalar_like(x, Scalar(a.f(1)))), x,
                      scalar_like(x, Scalar(a.f(2))))};
      });
}

}  // namespace

void register_pointwise(Registry& r) {
  register_exponential_units(r);
  register_saturating_units(r);
  register_thresholds(r);
}

}  // namespace paddle::ops

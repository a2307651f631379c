// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Smooth activations: products with a sigmoid or a distribution, softplus and its relatives.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

Tensor one_of(const Tensor& x) { return scalar_like(x, Scalar(1)); }

// For complex x, whose real part is compared.
Tensor above(const Tensor& x, double bound) {
  const Tensor part = real(x);
  return greater_than(part, scalar_like(part, Scalar(bound)));
}

void register_of_sigmoid(Registry& r) {
  r.op("silu")
      .schema("silu(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x * sigmoid(x).",
           "paddle.nn.functional.silu(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.silu")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (is_complex(v.in(0).dtype())) {
          const Tensor s = sigmoid(v.in(0));
          v.set(0, v.grad() * conj_of(s + v.in(0) * s * (Scalar(1) - s)));
        } else {
          v.set(0, silu_grad(v.in(0), v.grad()));
        }
      })
      .rank(3)
      .decompose([](Args& a) -> TensorList { return {a.tensor(0) * sigmoid(a.tensor(0))}; });
  r.op("swish")
      .schema("swish(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x * sigmoid(x).",
           "paddle.nn.functional.swish(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.swish")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, silu_grad(v.in(0), v.grad())); })
      .decompose([](Args& a) -> TensorList { return {a.tensor(0) * sigmoid(a.tensor(0))}; });
  r.op("logsigmoid")
      .schema("logsigmoid(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = log(sigmoid(x)).",
           "paddle.nn.functional.log_sigmoid(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.log_sigmoid")
      .python("paddle.nn.functional.logsigmoid(x, name=None)")
      .alias("input", "x")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(sigmoid(-v.in(0)))); })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        if (is_complex(a.tensor(0).dtype())) {
          return {-log(exp(-a.tensor(0)) + Scalar(1))};
        }
        return {minimum(a.tensor(0), zero_of(a.tensor(0))) - log1p(exp(-abs(a.tensor(0))))};
      });
}

void register_gelu_and_elu(Registry& r) {
  r.op("gelu")
      .schema("gelu(Tensor x, bool approximate=false) -> (Tensor out)")
      .doc("Elementwise: out = x * Phi(x), Phi the normal distribution; approximate uses tanh.",
           "paddle.nn.functional.gelu(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.gelu")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, gelu_grad(v.in(0), v.grad(), v.b(1))); })
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        return {
            a.b(1)
                ? a.tensor(0) * Scalar(0.5) *
                      (tanh((a.tensor(0) + a.tensor(0) * square(a.tensor(0)) * Scalar(0.044715)) *
                            Scalar(0.79788456080286536)) +
                       Scalar(1))
                : a.tensor(0) * Scalar(0.5) *
                      (erf(a.tensor(0) * Scalar(0.70710678118654752)) + Scalar(1))};
      });
  r.op("elu")
      .schema("elu(Tensor x, float alpha=1.0) -> (Tensor out)")
      .doc("Elementwise: out = x where x > 0, else alpha * (exp(x) - 1).",
           "paddle.nn.functional.elu(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.elu")
      .inplace_python("paddle.nn.functional.elu_(x, alpha=1.0, name=None)")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, elu_grad(v.in(0), v.grad(), v.f(1))); })
      .decompose([](Args& a) -> TensorList {
        return {where(greater_than(a.tensor(0), zero_of(a.tensor(0))), a.tensor(0),
                      expm1(minimum(a.tensor(0), zero_of(a.tensor(0)))) * Scalar(a.f(1)))};
      });
}

void register_of_softplus(Registry& r) {
  r.op("softplus")
      .schema("softplus(Tensor x, double beta=1.0, double threshold=20.0) -> (Tensor out)")
      .doc("Elementwise: out = log(1 + exp(beta * x)) / beta; x where beta * x > threshold.",
           "paddle.nn.functional.softplus(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.softplus")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (is_complex(v.in(0).dtype())) {
          const Tensor steep = v.in(0) * Scalar(v.f(1)), s = sigmoid(steep);
          v.set(0, v.grad() * conj_of(where(above(steep, v.f(2)), one_of(s), s)));
        } else {
          v.set(0, softplus_grad(v.in(0), v.grad(), v.f(1), v.f(2)));
        }
      })
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        if (is_complex(a.tensor(0).dtype())) {
          const Tensor steep = a.tensor(0) * Scalar(a.f(1));
          return {where(above(steep, a.f(2)), a.tensor(0),
                        log(exp(steep) + Scalar(1)) * Scalar(1.0 / a.f(1)))};
        }
        return {where(
            greater_than(a.tensor(0) * Scalar(a.f(1)), scalar_like(a.tensor(0), Scalar(a.f(2)))),
            a.tensor(0), -logsigmoid(a.tensor(0) * Scalar(-a.f(1))) * Scalar(1.0 / a.f(1)))};
      });
  r.op("mish")
      .schema("mish(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x * tanh(softplus(x)).",
           "paddle.nn.functional.mish(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.mish")
      .saved_form([](SavedForm& f) { f.set_attribute("lambda", Float32{20}); })
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, mish_grad(v.in(0), v.grad())); })
      .decompose([](Args& a) -> TensorList {
        return {a.tensor(0) * tanh(softplus(a.tensor(0), 1.0, 40.0))};
      });
  r.op("tanh_shrink")
      .schema("tanh_shrink(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x - tanh(x).",
           "paddle.nn.functional.tanhshrink(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.tanhshrink")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * square(tanh(v.in(0)))); })
      .decompose([](Args& a) -> TensorList { return {a.tensor(0) - tanh(a.tensor(0))}; });
}

}  // namespace

void register_smooth_activations(Registry& r) {
  register_of_sigmoid(r);
  register_gelu_and_elu(r);
  register_of_softplus(r);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Exponentials, logarithms, and the curves made of exponentials: the logistic and the error
// function.
#include <numbers>

#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {

void register_exponential(Registry& r) {
  real_function(r.op("exp").schema("exp(Tensor x) -> (Tensor out)"), "exp(x)", "0.0", "1.0")
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(v.out())); })
      .primitive("transcendental");
  real_function(r.op("expm1").schema("expm1(Tensor x) -> (Tensor out)"), "exp(x) - 1", "0.0", "0.0")
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(v.out() + Scalar(1))); })
      .primitive("transcendental");
  real_function(r.op("log").schema("log(Tensor x) -> (Tensor out)"), "ln(x)", "1.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0))); })
      .primitive("transcendental");
  real_function(r.op("log2").schema("log2(Tensor x) -> (Tensor out)"), "log2(x)", "8.0", "3.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) * Scalar(std::numbers::ln2))); })
      .decompose([](Args& a) -> TensorList {
        return {log(a.tensor(0)) * Scalar(1.0 / std::numbers::ln2)};
      });
  real_function(r.op("log10").schema("log10(Tensor x) -> (Tensor out)"), "log10(x)", "100.0", "2.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) * Scalar(std::numbers::ln10))); })
      .decompose([](Args& a) -> TensorList {
        return {log(a.tensor(0)) * Scalar(1.0 / std::numbers::ln10)};
      });
  real_function(r.op("log1p").schema("log1p(Tensor x) -> (Tensor out)"), "ln(1 + x)", "0.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) + Scalar(1))); })
      .primitive("transcendental");
  r.op("sigmoid")
      .schema("sigmoid(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: out = 1 / (1 + exp(-x)).\n"
          "x: A floating or complex Tensor; integers give float32.",
          "paddle.nn.functional.sigmoid(paddle.to_tensor([0.0])).tolist()  # [0.5]")
      .python("paddle.nn.functional.sigmoid")
      .python("Tensor.sigmoid")
      .python("paddle.sigmoid")
      .inplace_python("paddle.nn.functional.sigmoid_")
      .inplace_python("Tensor.sigmoid_")
      .inplace_python("paddle.sigmoid_")
      .elementwise()
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.out().dtype()) ? v.grad() * conj_of(v.out() * (Scalar(1) - v.out()))
                                             : sigmoid_grad(v.out(), v.grad()));
      })
      .rank(2)
      .decompose([](Args& a) -> TensorList { return {reciprocal(exp(-a.tensor(0)) + Scalar(1))}; });
  real_function(r.op("erf").schema("erf(Tensor x) -> (Tensor out)"), "erf(x)", "0.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, v.grad() * exp(-square(v.in(0))) * Scalar(2 * std::numbers::inv_sqrtpi));
      })
      .primitive("transcendental");
}

}  // namespace paddle::ops

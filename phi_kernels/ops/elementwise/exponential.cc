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
  r.op("exp")
      .schema("exp(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = exp(x).", "paddle.exp(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.exp")
      .python("Tensor.exp")
      .inplace_python("paddle.exp_")
      .inplace_python("Tensor.exp_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(v.out())); })
      .primitive("transcendental");
  r.op("expm1")
      .schema("expm1(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = exp(x) - 1.", "paddle.expm1(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.expm1")
      .python("Tensor.expm1")
      .inplace_python("paddle.expm1_")
      .inplace_python("Tensor.expm1_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(v.out() + Scalar(1))); })
      .primitive("transcendental");
  r.op("log")
      .schema("log(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = ln(x).", "paddle.log(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.log")
      .python("Tensor.log")
      .inplace_python("paddle.log_")
      .inplace_python("Tensor.log_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0))); })
      .primitive("transcendental");
  r.op("log2")
      .schema("log2(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = log2(x).", "paddle.log2(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.log2")
      .python("Tensor.log2")
      .inplace_python("paddle.log2_")
      .inplace_python("Tensor.log2_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) * Scalar(std::numbers::ln2))); })
      .decompose([](Args& a) -> TensorList {
        return {log(a.tensor(0)) * Scalar(1.0 / std::numbers::ln2)};
      });
  r.op("log10")
      .schema("log10(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = log10(x).", "paddle.log10(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.log10")
      .python("Tensor.log10")
      .inplace_python("paddle.log10_")
      .inplace_python("Tensor.log10_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) * Scalar(std::numbers::ln10))); })
      .decompose([](Args& a) -> TensorList {
        return {log(a.tensor(0)) * Scalar(1.0 / std::numbers::ln10)};
      });
  r.op("log1p")
      .schema("log1p(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = ln(1 + x).", "paddle.log1p(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.log1p")
      .python("Tensor.log1p")
      .inplace_python("paddle.log1p_")
      .inplace_python("Tensor.log1p_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) + Scalar(1))); })
      .primitive("transcendental");
  r.op("sigmoid")
      .schema("sigmoid(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = 1 / (1 + exp(-x)).",
           "paddle.nn.functional.sigmoid(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.sigmoid")
      .python("Tensor.sigmoid")
      .python("paddle.sigmoid")
      .inplace_python("paddle.nn.functional.sigmoid_")
      .inplace_python("Tensor.sigmoid_")
      .inplace_python("paddle.sigmoid_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.out().dtype()) ? v.grad() * conj_of(v.out() * (Scalar(1) - v.out()))
                                             : sigmoid_grad(v.out(), v.grad()));
      })
      .decompose([](Args& a) -> TensorList { return {reciprocal(exp(-a.tensor(0)) + Scalar(1))}; });
  r.op("erf")
      .schema("erf(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = erf(x).", "paddle.erf(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.erf")
      .python("Tensor.erf")
      .inplace_python("paddle.erf_")
      .inplace_python("Tensor.erf_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, v.grad() * exp(-square(v.in(0))) * Scalar(2 * std::numbers::inv_sqrtpi));
      })
      .primitive("transcendental");
}

}  // namespace paddle::ops

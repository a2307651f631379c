// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Trigonometric and hyperbolic functions and their inverses.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/elementwise/smooth_product.h"

namespace paddle::ops {

namespace {

void register_circular(Registry& r) {
  real_function(r.op("sin").schema("sin(Tensor x) -> (Tensor out)"), "sin(x)", "0.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.in(0).dtype()) ? v.grad() * conj(cos(v.in(0)))
                                             : smooth(v.in(0), {v.grad()}, kWave, {0, 1}));
      })
      .primitive("transcendental");
  real_function(r.op("cos").schema("cos(Tensor x) -> (Tensor out)"), "cos(x)", "0.0", "1.0")
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.in(0).dtype()) ? -(v.grad() * conj(sin(v.in(0))))
                                             : smooth(v.in(0), {v.grad()}, kWave, {-1, 0}));
      })
      .primitive("transcendental");
  real_function(r.op("tan").schema("tan(Tensor x) -> (Tensor out)"), "tan(x)", "0.0", "0.0")
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(square(v.out()) + Scalar(1))); })
      .decompose([](Args& a) -> TensorList { return {sin(a.tensor(0)) / cos(a.tensor(0))}; });
  real_function(r.op("asin").schema("asin(Tensor x) -> (Tensor out)"), "arcsin(x)", "0.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(rsqrt(Scalar(1) - square(v.in(0))))); })
      .primitive("transcendental");
  real_function(r.op("acos").schema("acos(Tensor x) -> (Tensor out)"), "arccos(x)", "1.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, -(v.grad() * conj_of(rsqrt(Scalar(1) - square(v.in(0)))))); })
      .primitive("transcendental");
  real_function(r.op("atan").schema("atan(Tensor x) -> (Tensor out)"), "arctan(x)", "0.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(square(v.in(0)) + Scalar(1))); })
      .primitive("transcendental");
  r.op("atan2")
      .schema("atan2(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Angle of the point (y, x), elementwise: out = atan(x / y) in the right quadrant. x and "
          "y broadcast against each other.",
          "paddle.atan2(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.atan2")
      .python("Tensor.atan2")
      .saved_form([](SavedForm& f) {
        f.expand_operands({0, 1}, f.shape(f.result()));
      })
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        infer::broadcast(c);
        if (is_int_or_bool(c.dtype(0))) c.out(0, DType::kFloat64);
      })
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        const Tensor g = v.grad() / (square(v.in(0)) + square(v.in(1)));
        if (v.needs(0)) v.set(0, g * v.in(1));
        if (v.needs(1)) v.set(1, -(g * v.in(0)));
      })
      .primitive("transcendental");
}

void register_hyperbolic(Registry& r) {
  real_function(r.op("sinh").schema("sinh(Tensor x) -> (Tensor out)"), "sinh(x)", "0.0", "0.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(cosh(v.in(0)))); })
      .primitive("transcendental");
  real_function(r.op("cosh").schema("cosh(Tensor x) -> (Tensor out)"), "cosh(x)", "0.0", "1.0")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(sinh(v.in(0)))); })
      .primitive("transcendental");
  r.op("tanh")
      .schema("tanh(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: out = tanh(x).\n"
          "x: A floating or complex Tensor; integers give float32.",
          "paddle.tanh(paddle.to_tensor([0.0])).tolist()  # [0.0]")
      .python("paddle.tanh")
      .python("Tensor.tanh")
      .python("paddle.nn.functional.tanh")
      .inplace_python("paddle.tanh_")
      .inplace_python("Tensor.tanh_")
      .inplace_python("paddle.nn.functional.tanh_")
      .elementwise()
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.out().dtype()) ? v.grad() * conj_of(Scalar(1) - square(v.out()))
                                             : tanh_grad(v.out(), v.grad()));
      })
      .primitive("transcendental");
}

}  // namespace

void register_trigonometry(Registry& r) {
  register_circular(r);
  register_hyperbolic(r);
}

}  // namespace paddle::ops

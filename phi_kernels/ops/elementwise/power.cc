// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Powers of one tensor: roots, reciprocals, constant exponents.
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/elementwise/smooth_product.h"

namespace paddle::ops {

void register_power(Registry& r) {
  r.op("sqrt")
      .schema("sqrt(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: out = sqrt(x); NaN where x is negative.\n"
          "x: A floating or complex Tensor; integers give float32.",
          "paddle.sqrt(paddle.to_tensor([4.0, 9.0])).tolist()  # [2.0, 3.0]")
      .python("paddle.sqrt")
      .python("Tensor.sqrt")
      .inplace_python("paddle.sqrt_")
      .inplace_python("Tensor.sqrt_")
      .elementwise()
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * Scalar(0.5) / conj_of(v.out())); })
      .primitive("transcendental");
  real_function(r.op("rsqrt").schema("rsqrt(Tensor x) -> (Tensor out)"), "1 / sqrt(x)", "4.0",
                "0.5")
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * Scalar(-0.5) * conj_of(v.out() * v.out() * v.out())); })
      .rank(2)
      .decompose([](Args& a) -> TensorList { return {reciprocal(sqrt(a.tensor(0)))}; });
  real_function(r.op("reciprocal").schema("reciprocal(Tensor x) -> (Tensor out)"), "1 / x", "4.0",
                "0.25")
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, -(v.grad() * conj_of(v.out() * v.out()))); })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {scalar_like(a.tensor(0), Scalar(1)) / a.tensor(0)};
      });
  r.op("square")
      .schema("square(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: out = x * x.\n"
          "x: A Tensor of numbers.",
          "paddle.square(paddle.to_tensor([-3.0, 2.0])).tolist()  # [9.0, 4.0]")
      .python("paddle.square")
      .python("Tensor.square")
      .inplace_python("paddle.square_")
      .inplace_python("Tensor.square_")
      .elementwise()
      .infer(infer::same_as_x)
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.in(0).dtype()) ? v.grad() * conj(v.in(0)) * Scalar(2)
                                             : smooth(v.in(0), {v.grad()}, kPower, {0, 2}));
      })
      .rank(1)
      .decompose([](Args& a) -> TensorList { return {a.tensor(0) * a.tensor(0)}; });
  r.op("pow")
      .schema("pow(Tensor x, Scalar y=1.0) -> (Tensor out)")
      .doc("Power with a constant exponent: out = x ** y.",
           "paddle.pow(paddle.to_tensor([3.0]), 2.0)")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer::same_as_x)
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Scalar y = v.scalar(1);
        const Scalar less = y.is_integral() ? Scalar(y.to_int() - 1)
                            : Scalar(y.to_complex() - 1.0).to_complex().imag() == 0
                                ? Scalar(y.to_double() - 1.0)
                                : Scalar(y.to_complex() - 1.0);
        if (y.to_complex() == 0.0)
          v.set(0, zeros_like(v.in(0)));
        else
          v.set(0, v.grad() * conj_of(pow(v.in(0), less) * y));
      })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {elementwise_pow(a.tensor(0), scalar_like(a.tensor(0), a.scalar(1)))};
      });
}

}  // namespace paddle::ops

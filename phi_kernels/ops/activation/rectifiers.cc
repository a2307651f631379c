// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Activations of straight pieces: relu and its relatives.
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

Tensor one_of(const Tensor& x) { return scalar_like(x, Scalar(1)); }

// 0 up to -3, `between` up to 3, `after` from there on.
Tensor on_ramp(const Tensor& x, const Tensor& between, const Tensor& after) {
  const Tensor part = real(x);
  const Tensor begun = greater_equal(part, scalar_like(part, Scalar(-3)));
  const Tensor ended = greater_equal(part, scalar_like(part, Scalar(3)));
  return where(ended, after, masked(begun, between));
}

void register_relus(Registry& r) {
  r.op("relu")
      .schema("relu(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: out = max(x, 0).\n"
          "x: A floating Tensor.",
          "paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])).tolist()  # [0.0, 2.0]")
      .python("paddle.nn.functional.relu")
      .inplace_python("paddle.nn.functional.relu_")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, relu_grad(v.out(), v.grad())); })
      .rank(1)
      .decompose(
          [](Args& a) -> TensorList { return {maximum(a.tensor(0), zero_of(a.tensor(0)))}; });
  r.op("relu6")
      .schema("relu6(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = min(max(x, 0), 6).",
           "paddle.nn.functional.relu6(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.relu6")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, relu6_grad(v.out(), v.grad())); })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {minimum(maximum(a.tensor(0), zero_of(a.tensor(0))),
                        scalar_like(a.tensor(0), Scalar(6)))};
      });
  r.op("leaky_relu")
      .schema("leaky_relu(Tensor x, double negative_slope=0.01) -> (Tensor out)")
      .doc(
          "Elementwise: out = x where x > 0, else negative_slope * x.\n"
          "x: A floating Tensor.\n"
          "negative_slope: A number.",
          "paddle.nn.functional.leaky_relu(paddle.to_tensor([-1.0, 2.0]), 0.5).tolist()  # [-0.5, "
          "2.0]")
      .python("paddle.nn.functional.leaky_relu")
      .inplace_python("paddle.nn.functional.leaky_relu_(x, negative_slope=0.01, name=None)")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, leaky_relu_grad(v.in(0), v.grad(), v.f(1))); })
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        return {where(greater_than(a.tensor(0), zero_of(a.tensor(0))), a.tensor(0),
                      a.tensor(0) * Scalar(a.f(1)))};
      });
}

void register_hard_sigmoids(Registry& r) {
  r.op("hardswish")
      .schema("hardswish(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x * min(max(x + 3, 0), 6) / 6.",
           "paddle.nn.functional.hardswish(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.hardswish")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (is_complex(v.in(0).dtype())) {
          const Tensor slope = (v.in(0) * Scalar(2) + Scalar(3)) * Scalar(1.0 / 6);
          v.set(0, v.grad() * conj_of(on_ramp(v.in(0), slope, one_of(slope))));
        } else {
          v.set(0, hardswish_grad(v.in(0), v.grad()));
        }
      })
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        if (is_complex(a.tensor(0).dtype())) {
          const Tensor x = a.tensor(0);
          return {on_ramp(x, x * (x + Scalar(3)) * Scalar(1.0 / 6), x)};
        }
        return {a.tensor(0) * relu6(a.tensor(0) + Scalar(3)) * Scalar(1.0 / 6)};
      });
  r.op("hardsigmoid")
      .schema("hardsigmoid(Tensor x, float slope=0.1666667, float offset=0.5) -> (Tensor out)")
      .doc("Elementwise: out = min(max(slope * x + offset, 0), 1).",
           "paddle.nn.functional.hardsigmoid(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.nn.functional.hardsigmoid")
      .elementwise()
      .infer(infer::same_as_x_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, hardsigmoid_grad(v.out(), v.grad(), v.f(1))); })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {
            minimum(maximum(a.tensor(0) * Scalar(a.f(1)) + Scalar(a.f(2)), zero_of(a.tensor(0))),
                    scalar_like(a.tensor(0), Scalar(1)))};
      });
}

}  // namespace

void register_rectifiers(Registry& r) {
  register_relus(r);
  register_hard_sigmoids(r);
}

}  // namespace paddle::ops

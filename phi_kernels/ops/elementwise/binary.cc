// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of two tensors.
#include <limits>

#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/integers.h"

namespace paddle::ops {

namespace {

void register_sums(Registry& r) {
  r.op("add")
      .schema("add(Tensor x, Tensor y) -> (Tensor out)")
      .spmd(sharding::sum_of_two)
      .doc(
          "Elementwise: out = x + y.\n"
          "x: A Tensor.\n"
          "y: A Tensor or a number; mixed dtypes become the common one.\n"
          "Raises: ValueError: The shapes do not broadcast.",
          "paddle.add(paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([10.0, 20.0])).tolist()  "
          "# [[11.0, 21.0], [12.0, 22.0]]")
      .python("paddle.add(x, y, name=None, *, alpha=1, out=None)")
      .python("Tensor.add(y, name=None, *, alpha=1, out=None)")
      .inplace_python("paddle.add_")
      .inplace_python("Tensor.add_(y, name=None, *, alpha=1)")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative | kNumberOperands)
      .amp_class(AmpClass::kWidest)
      .integers(integers::combined<integers::sum>)
      .infer(infer::broadcast)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, v.grad());
        v.set(1, v.grad());
      })
      .primitive("arithmetic");
  r.op("subtract")
      .schema("subtract(Tensor x, Tensor y) -> (Tensor out)")
      .spmd(sharding::sum_of_two)
      .doc(
          "Elementwise: out = x - y.\n"
          "x: A Tensor.\n"
          "y: A Tensor or a number; mixed dtypes become the common one.\n"
          "Raises: ValueError: The shapes do not broadcast.",
          "paddle.subtract(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([1.0, 2.0])).tolist()  # "
          "[3.0, 7.0]")
      .python("paddle.subtract(x, y, name=None, *, alpha=1, out=None)")
      .python("Tensor.subtract(y, name=None, *, alpha=1, out=None)")
      .inplace_python("paddle.subtract_(x, y, name=None, *, alpha=1)")
      .inplace_python("Tensor.subtract_(y, name=None, *, alpha=1)")
      .python("paddle.sub(x, y, name=None, *, alpha=1, out=None)")
      .python("Tensor.sub(y, name=None, *, alpha=1, out=None)")
      .inplace_python("paddle.sub_(x, y, name=None, *, alpha=1)")
      .inplace_python("Tensor.sub_(y, name=None, *, alpha=1)")
      .elementwise()
      .trait(kBroadcast | kPromote | kNumberOperands)
      .amp_class(AmpClass::kWidest)
      .integers(integers::combined<integers::difference>)
      .infer(infer::broadcast)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, v.grad());
        if (v.needs(1)) v.set(1, -v.grad());
      })
      .primitive("arithmetic");
}

void register_products(Registry& r) {
  r.op("multiply")
      .schema("multiply(Tensor x, Tensor y) -> (Tensor out)")
      .spmd(sharding::product)
      .doc(
          "Elementwise: out = x * y.\n"
          "x: A Tensor.\n"
          "y: A Tensor or a number; mixed dtypes become the common one.\n"
          "Raises: ValueError: The shapes do not broadcast.",
          "paddle.multiply(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([2.0])).tolist()  # "
          "[8.0, 18.0]")
      .python("paddle.multiply")
      .python("Tensor.multiply")
      .inplace_python("paddle.multiply_")
      .inplace_python("Tensor.multiply_")
      .python("paddle.mul")
      .python("Tensor.mul")
      .inplace_python("paddle.mul_")
      .inplace_python("Tensor.mul_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative | kNumberOperands | kBilinear)
      .amp_class(AmpClass::kWidest)
      .integers(integers::combined<integers::product>)
      .infer(infer::broadcast)
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, v.grad() * conj_of(v.in(1)));
        if (v.needs(1)) v.set(1, v.grad() * conj_of(v.in(0)));
      })
      .primitive("arithmetic");
  r.op("divide")
      .schema("divide(Tensor x, Tensor y) -> (Tensor out)")
      .spmd(sharding::quotient)
      .doc(
          "Elementwise: out = x / y; integers give float32.\n"
          "x: A Tensor.\n"
          "y: A Tensor or a number; mixed dtypes become the common one.\n"
          "Raises: ValueError: The shapes do not broadcast.",
          "paddle.divide(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([2.0])).tolist()  # [2.0, "
          "4.5]")
      .python("paddle.divide(x, y, name=None, *, rounding_mode=None, out=None)")
      .python("Tensor.divide(y, name=None, *, rounding_mode=None, out=None)")
      .inplace_python("paddle.divide_(x, y, name=None, *, rounding_mode=None)")
      .inplace_python("Tensor.divide_(y, name=None, *, rounding_mode=None)")
      .python("paddle.div(x, y, name=None, *, rounding_mode=None, out=None)")
      .python("Tensor.div(y, name=None, *, rounding_mode=None, out=None)")
      .inplace_python("paddle.div_(x, y, name=None, *, rounding_mode=None)")
      .inplace_python("Tensor.div_(y, name=None, *, rounding_mode=None)")
      .python("paddle.true_divide(input, other, *, out=None)")
      .python("Tensor.true_divide(other, *, out=None)")
      .elementwise()
      .trait(kBroadcast | kPromote | kNumberOperands)
      .amp_class(AmpClass::kWidest)
      .infer(infer_float_broadcast)
      .saves({"y", "out"})
      .vjp([](Vjp& v) {
        const Tensor gx = v.grad() / conj_of(v.in(1));
        v.set(0, gx);
        if (v.needs(1)) v.set(1, -(gx * conj_of(v.out())));
      })
      .primitive("arithmetic");
}

void register_whole_division(Registry& r) {
  r.op("floor_divide")
      .schema("floor_divide(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Quotient rounded down: out = floor(x / y). x and y broadcast against each other.",
           "paddle.floor_divide(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.floor_divide")
      .python("Tensor.floor_divide")
      .inplace_python("paddle.floor_divide_")
      .inplace_python("Tensor.floor_divide_")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .integers(integers::combined<integers::quotient>)
      .infer(infer_ordered)
      .no_grad()
      .primitive("exact on integers");
  r.op("remainder")
      .schema("remainder(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Remainder with the sign of y: out = x - floor(x / y) * y. x and y broadcast against "
          "each other.",
          "paddle.mod(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.mod")
      .python("Tensor.mod")
      .python("paddle.remainder")
      .python("Tensor.remainder")
      .inplace_python("paddle.mod_")
      .inplace_python("Tensor.mod_")
      .python("paddle.floor_mod")
      .python("Tensor.floor_mod")
      .inplace_python("paddle.floor_mod_")
      .inplace_python("Tensor.floor_mod_")
      .inplace_python("paddle.remainder_")
      .inplace_python("Tensor.remainder_")
      .elementwise()
      .trait(kBroadcast | kPromote | kNumberOperands)
      .amp_class(AmpClass::kWidest)
      .integers(integers::combined<integers::remainder>)
      .infer(infer_ordered)
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        v.set(0, v.grad());
        if (v.needs(1)) v.set(1, -(v.grad() * floor_divide(v.in(0), v.in(1))));
      })
      .decompose([](Args& a) -> TensorList {
        return {a.tensor(0) - floor_divide(a.tensor(0), a.tensor(1)) * a.tensor(1)};
      });
}

void register_power(Registry& r) {
  r.op("elementwise_pow")
      .schema("elementwise_pow(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Elementwise: out = x ** y.\n"
          "x: A Tensor of numbers.\n"
          "y: A Tensor or a number; mixed dtypes become the common one.\n"
          "Raises: ValueError: The shapes do not broadcast.",
          "paddle.pow(paddle.to_tensor([2.0, 3.0]), paddle.to_tensor([3.0, 2.0])).tolist()  # "
          "[8.0, 9.0]")
      .python("paddle.pow")
      .python("Tensor.pow")
      .inplace_python("paddle.pow_")
      .inplace_python("Tensor.pow_")
      .alias("exponent", "y")
      .elementwise()
      .trait(kBroadcast | kPromote | kNumberOperands)
      .amp_class(AmpClass::kHigh)
      .infer(infer::broadcast)
      .saves({"x", "y", "out"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), y = v.in(1);
        // y == 0: a constant, also where x ** -1 is infinite.
        if (v.needs(0)) {
          const Tensor slope = conj_of(y * elementwise_pow(x, y - Scalar(1)));
          v.set(0, v.grad() * masked(not_equal(y, zero_of(y)), slope));
        }
        if (!v.needs(1)) return;
        const Tensor gy = v.grad() * conj_of(v.out() * log(x));
        // x == 0: the power does not depend on a positive exponent.
        v.set(1, where(equal(x, zero_of(x)), zero_of(gy), gy));
      })
      .primitive("arithmetic");
}

// x - y, and 0 between equal infinities.
Tensor difference(const Tensor& x, const Tensor& y) { return masked(not_equal(x, y), x - y); }

// The bits of y that say its sign, and the other bits of x.
TensorList decompose_copysign(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  if (is_integer(x.dtype())) {
    const Tensor turned = bitwise_xor(less_than(x, zero_of(x)), less_than(y, zero_of(y)));
    return {where(turned, x * scalar_like(x, Scalar(-1)), x)};
  }
  const size_t size = size_of(x.dtype());
  const DType bits = size == 2 ? DType::kInt16 : size == 4 ? DType::kInt32 : DType::kInt64;
  const Tensor of_x = view_dtype(x, bits), of_y = view_dtype(y, bits);
  const Tensor sign = scalar_like(of_x, Scalar(-(int64_t{1} << (8 * size - 2)) * int64_t{2}));
  const Tensor joined = bitwise_or(bitwise_and(of_x, bitwise_not(sign)), bitwise_and(of_y, sign));
  return {view_dtype(joined, x.dtype())};
}

// Signs and neighbours of numbers.
void register_neighbours(Registry& r) {
  r.op("copysign")
      .schema("copysign(Tensor x, Tensor y) -> (Tensor out)")
      .doc("|x| with the sign of y; -0.0 counts as negative. x and y broadcast.",
           "paddle.copysign(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([-1.0, 1.0]))")
      .python("paddle.copysign")
      .python("Tensor.copysign")
      .inplace_python("paddle.copysign_")
      .inplace_python("Tensor.copysign_")
      .elementwise()
      .trait(kBroadcast | kPromote | kNumberOperands)
      .infer(infer_ordered)
      .saves({"x", "out"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, v.grad() * (sign(v.in(0)) * sign(v.out())));
        if (v.needs(1)) v.set(1, zeros_like(v.grad()));
      })
      .decompose(decompose_copysign);
  r.op("nextafter")
      .schema("nextafter(Tensor x, Tensor y) -> (Tensor out)")
      .doc("The neighbouring floating-point number of x in the direction of y.",
           "paddle.nextafter(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))")
      .python("paddle.nextafter")
      .python("Tensor.nextafter")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .infer(infer_real_floats)
      .no_grad()
      .primitive("floating-point bits");
}

void register_norm_and_logsum_of_two(Registry& r) {
  r.op("hypot")
      .schema("hypot(Tensor x, Tensor y) -> (Tensor out)")
      .doc("sqrt(x^2 + y^2), also where the squares leave the range. x and y broadcast.",
           "paddle.hypot(paddle.to_tensor([3.0]), paddle.to_tensor([4.0]))")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative | kNumberOperands)
      .amp_class(AmpClass::kHigh)
      .infer(infer_real_floats)
      .saves({"x", "y", "out"})
      .vjp([](Vjp& v) {  // 0 at the origin
        const Tensor some = not_equal(v.out(), zero_of(v.out()));
        const Tensor g = v.grad() / v.out();
        if (v.needs(0)) v.set(0, masked(some, g * v.in(0)));
        if (v.needs(1)) v.set(1, masked(some, g * v.in(1)));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = abs(a.tensor(0)), y = abs(a.tensor(1)), top = maximum(x, y);
        const Tensor unit = where(logical_and(isfinite(top), greater_than(top, zero_of(top))), top,
                                  scalar_like(top, Scalar(1)));
        const Tensor finite = sqrt(square(x / unit) + square(y / unit)) * unit;
        // An infinite side decides even beside NaN.
        return {where(logical_or(isinf(x), isinf(y)),
                      scalar_like(finite, Scalar(std::numeric_limits<double>::infinity())),
                      finite)};
      });
  r.op("logaddexp")
      .schema("logaddexp(Tensor x, Tensor y) -> (Tensor out)")
      .doc("log(exp(x) + exp(y)) without overflow. x and y broadcast.",
           "paddle.logaddexp(paddle.to_tensor([1000.0]), paddle.to_tensor([0.0]))")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative | kNumberOperands)
      .amp_class(AmpClass::kHigh)
      .infer(infer_real_floats)
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        const Tensor apart = difference(v.in(0), v.in(1));
        if (v.needs(0)) v.set(0, v.grad() * sigmoid(apart));
        if (v.needs(1)) v.set(1, v.grad() * sigmoid(-apart));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), y = a.tensor(1), top = maximum(x, y);
        return {where(isinf(top), top, top + log1p(exp(-abs(difference(x, y)))))};
      });
}

void register_interpolation(Registry& r) {
  r.op("lerp")
      .schema("lerp(Tensor x, Tensor y, Tensor weight) -> (Tensor out)")
      .doc("x + weight * (y - x); all three broadcast.",
           "paddle.lerp(paddle.to_tensor([1.0]), paddle.to_tensor([3.0]), 0.5)")
      .python("paddle.lerp(x, y, weight, name=None, *, out=None)")
      .python("Tensor.lerp(y, weight, name=None, *, out=None)")
      .inplace_python("paddle.lerp_(x, y, weight, name=None)")
      .inplace_python("Tensor.lerp_(y, weight, name=None)")
      .alias("input", "x")
      .alias("end", "y")
      .trait(kBroadcast | kPromote)
      .elementwise()
      .amp_class(AmpClass::kWidest)
      .infer([](Infer& c) {
        c.require_floating(0);
        Shape xy, out;
        broadcast_into(c.shape(0), c.shape(1), "lerp", "x", "y", xy);
        broadcast_into(xy, c.shape(2), "lerp", "x and y", "weight", out);
        c.out(0, out, c.dtype(0));
      })
      .saves({"x", "y", "weight"})
      .vjp([](Vjp& v) {
        const Tensor g = v.grad();
        if (v.needs(0)) v.set(0, g * (Scalar(1) - conj_of(v.in(2))));
        if (v.needs(1)) v.set(1, g * conj_of(v.in(2)));
        if (v.needs(2)) v.set(2, g * conj_of(v.in(1) - v.in(0)));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {x + a.tensor(2) * (a.tensor(1) - x)};
      });
}

}  // namespace

void register_binary(Registry& r) {
  register_sums(r);
  register_products(r);
  register_whole_division(r);
  register_power(r);
  register_neighbours(r);
  register_norm_and_logsum_of_two(r);
  register_interpolation(r);
}

}  // namespace paddle::ops

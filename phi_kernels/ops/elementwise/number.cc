// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rarer operators of two or three tensors: shifts, gcd and lcm, truncated division, copysign,
// nextafter, gammaincc, lerp; and comparisons with a tolerance.
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/reduce.h"

namespace paddle::ops {
namespace {

void infer_shift(Infer& c) {
  PADDLE_CHECK_TYPE(is_integer(c.dtype(0)) && is_integer(c.dtype(1)), c.op_name(), ": x has dtype ",
                    c.dtype(0), " and y has dtype ", c.dtype(1),
                    "; both must be integers; cast them first.");
  infer::broadcast(c);
}

void infer_two_floats(Infer& c) {
  c.require_floating(0);
  infer_ordered(c);
}

OpDef& shift(OpDef& op, const char* doc) {
  const std::string name = op.name();
  op.doc(doc, "paddle." + name + "(paddle.to_tensor([4, -8]), paddle.to_tensor([1, 2]))");
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name + "(x, y, is_arithmetic=True, out=None, name=None)");
    op.inplace_python(path + name + "_(x, y, is_arithmetic=True, out=None, name=None)");
  }
  op.elementwise().trait(kBroadcast | kPromote).infer(infer_shift).no_grad().primitive("bits");
  return op;
}

OpDef& divisor(OpDef& op, const char* doc) {
  const std::string name = op.name();
  op.doc(doc, "paddle." + name + "(paddle.to_tensor([12, 18]), paddle.to_tensor([8, 27]))");
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name + "(x, y, name=None)");
    op.inplace_python(path + name + "_(x, y, name=None)");
  }
  return op.alias("input", "x")
      .alias("other", "y")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .infer(infer_ordered)
      .no_grad()
      .primitive("exact on integers and on multiples of a power of two");
}

// |x - y| <= atol + rtol |y|, or equal; NaN equals NaN when asked.
Tensor close_to(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  const double rtol = a.scalar(2).to_double(), atol = a.scalar(3).to_double();
  const bool real = !is_int_or_bool(x.dtype());
  const Tensor fx = real ? x : cast(x, DType::kFloat64), fy = real ? y : cast(y, DType::kFloat64);
  Tensor near =
      logical_or(equal(x, y), less_equal(abs(fx - fy), abs(fy) * Scalar(rtol) + Scalar(atol)));
  // An infinite limit is close to nothing but itself.
  near = logical_and(near, logical_or(isfinite(fy), equal(x, y)));
  if (a.b(4)) near = logical_or(near, logical_and(isnan(fx), isnan(fy)));
  return near;
}

void register_tolerance(Registry& r) {
  r.op("isclose")
      .schema(
          "isclose(Tensor x, Tensor y, Scalar@float64 rtol=1e-5, Scalar@float64 atol=1e-8, bool "
          "equal_nan=false) -> (Tensor out)")
      .doc("Where |x - y| <= atol + rtol * |y|.",
           "paddle.isclose(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))")
      .python("paddle.isclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .python("Tensor.isclose(y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .alias("input", "x")
      .alias("other", "y")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .infer(infer::compare)
      .no_grad()
      .decompose([](Args& a) -> TensorList { return {close_to(a)}; });
  r.op("allclose")
      .schema(
          "allclose(Tensor x, Tensor y, Scalar@float64 rtol=1e-5, Scalar@float64 atol=1e-8, bool "
          "equal_nan=false) -> (Tensor out)")
      .doc("Whether |x - y| <= atol + rtol * |y| everywhere, as a 0-d bool.",
           "paddle.allclose(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))")
      .python("paddle.allclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .python("Tensor.allclose(y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .alias("input", "x")
      .alias("other", "y")
      .trait(kPromote)
      .infer([](Infer& c) {
        infer::compare(c);
        c.out(0, Shape(), DType::kBool);
      })
      .no_grad()
      .decompose([](Args& a) -> TensorList { return {all(close_to(a), Shape(), false)}; });
  r.op("equal_all")
      .schema("equal_all(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Whether x and y have one shape and equal elements, as a 0-d bool.",
           "paddle.equal_all(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))")
      .python("paddle.equal_all(x, y, name=None)")
      .python("Tensor.equal_all(x, y, name=None)")
      .trait(kPromote)
      .kernel_dtype_of("x")
      .infer([](Infer& c) { c.out(0, Shape(), DType::kBool); })
      .no_grad()
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), y = a.tensor(1);
        bool same = x.ndim() == y.ndim();
        for (size_t d = 0; same && d < x.shape().size(); ++d) {
          same = decide_eq(x.shape()[d], y.shape()[d], true);
        }
        if (!same) return {full(Shape(), Scalar(false), DType::kBool, x.place())};
        return {all(equal(x, y), Shape(), false)};
      });
}

// The slope of Q(a, x) in x: -x^(a - 1) exp(-x) / gamma(a).
void gammaincc_vjp(Vjp& v) {
  if (!v.needs(1)) return;
  const Tensor a = v.in(0), x = v.in(1);
  const Tensor density = exp((a - Scalar(1)) * log(x) - x - lgamma(a));
  v.set(1, -(v.grad() * density));
}

}  // namespace

void register_number(Registry& r) {
  shift(r.op("bitwise_left_shift")
            .schema(
                "bitwise_left_shift(Tensor x, Tensor y, bool is_arithmetic=true) -> (Tensor out)"),
        "x with its bits moved y places to the left; places beyond the width give 0.");
  shift(r.op("bitwise_right_shift")
            .schema(
                "bitwise_right_shift(Tensor x, Tensor y, bool is_arithmetic=true) -> (Tensor out)"),
        "x with its bits moved y places to the right; the sign is kept when is_arithmetic.");
  divisor(r.op("gcd").schema("gcd(Tensor x, Tensor y) -> (Tensor out)"),
          "Greatest common divisor of |x| and |y|; gcd(0, 0) = 0.");
  divisor(r.op("lcm").schema("lcm(Tensor x, Tensor y) -> (Tensor out)"),
          "Least common multiple of |x| and |y|; 0 when one of them is 0.");
  register_tolerance(r);
  r.op("trunc_divide")
      .schema("trunc_divide(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Quotient rounded towards zero. x and y broadcast against each other.",
           "paddle._C_ops.trunc_divide(paddle.to_tensor([-7, 7]), paddle.to_tensor([2, 2]))")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .infer(infer_ordered)
      .no_grad()
      .primitive("exact on integers");
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
      .primitive("sign bits");
  r.op("nextafter")
      .schema("nextafter(Tensor x, Tensor y) -> (Tensor out)")
      .doc("The neighbouring floating-point number of x in the direction of y.",
           "paddle.nextafter(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))")
      .python("paddle.nextafter")
      .python("Tensor.nextafter")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .infer(infer_two_floats)
      .no_grad()
      .primitive("floating-point bits");
  r.op("gammaincc")
      .schema("gammaincc(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "The regularised upper incomplete gamma function Q(x, y) for x, y >= 0; differentiable "
          "in "
          "y only, x is the order.",
          "paddle.gammaincc(paddle.to_tensor([0.5]), paddle.to_tensor([2.0]))")
      .python("paddle.gammaincc")
      .python("Tensor.gammaincc")
      .inplace_python("paddle.gammaincc_")
      .inplace_python("Tensor.gammaincc_")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kHigh)
      .infer(infer_two_floats)
      .saves({"x", "y"})
      .vjp(gammaincc_vjp)
      .primitive("transcendental");
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
  r.op("increment")
      .schema("increment(Tensor x, float value=1.0) -> (Tensor out)")
      .doc("x + value for an x of one element.", "paddle.increment(paddle.zeros([1]), 2.0)")
      .inplace_python("paddle.increment(x, value=1.0, name=None)")
      .inplace_python("Tensor.increment(x, value=1.0, name=None)")
      .elementwise()
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(decide_eq(numel_of(c.shape(0)), 1, true), "increment: x has shape ",
                           c.shape(0), "; it must have one element; add value to x instead.");
        infer::same_as_x(c);
      })
      .vjp([](Vjp& v) { v.set(0, v.grad()); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {x + full(Shape(), Scalar(a.f(1)), x.dtype(), x.place())};
      });
}

}  // namespace paddle::ops

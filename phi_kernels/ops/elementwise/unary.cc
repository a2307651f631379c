// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Signs, parts and classes of numbers, and affine maps.
#include <limits>

#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/integers.h"

namespace paddle::ops {
namespace {

// A test of every element; `holds` says of which it is true, `result` of 0.5, infinity and NaN.
OpDef& classification(OpDef& op, const char* holds, const char* result) {
  const std::string name = op.name();
  op.doc(str("Elementwise: whether x is ", holds,
             ".\nx: A Tensor.\nReturns: A bool Tensor of the shape of x."),
         str("paddle.", name, "(paddle.to_tensor([0.5, float('inf'), float('nan')])).tolist()  # ",
             result));
  op.python("paddle." + name).python("Tensor." + name);
  return op.elementwise().infer(infer_flag).no_grad().rank(1);
}

// A test of real floating numbers for all dtypes. kAll: it holds of integers, and of a complex
// number when it holds of both parts; else of none and of either.
template <Tensor (*kOfReal)(const Tensor&), bool kAll>
TensorList by_parts(Args& a) {
  const Tensor x = a.tensor(0);
  if (is_int_or_bool(x.dtype())) {
    return {full_like(x, Scalar(kAll), DType::kBool, x.place())};
  }
  if (is_complex(x.dtype())) {
    const Tensor one = kOfReal(real(x)), other = kOfReal(imag(x));
    return {kAll ? bitwise_and(one, other) : bitwise_or(one, other)};
  }
  return {kOfReal(x)};
}

Tensor infinity_like(const Tensor& x) {
  return scalar_like(x, Scalar(std::numeric_limits<double>::infinity()));
}
Tensor is_no_number(const Tensor& x) { return bitwise_not(equal(x, x)); }
Tensor is_infinite(const Tensor& x) { return equal(abs(x), infinity_like(x)); }
Tensor is_finite(const Tensor& x) { return less_than(abs(x), infinity_like(x)); }

// NaN and zeros are their own sign.
TensorList decompose_sign(Args& a) {
  const Tensor x = a.tensor(0), zero = zero_of(x);
  if (is_bool(x.dtype())) return {x};
  if (is_complex(x.dtype())) {
    const Tensor size = abs(x), none = equal(size, zero_of(size));
    const Tensor safe = where(none, scalar_like(size, Scalar(1)), size);
    return {masked(bitwise_not(none), x / cast(safe, x.dtype()))};
  }
  const Tensor one = scalar_like(x, Scalar(1)),
               below = where(less_than(x, zero), one * Scalar(-1), x);
  return {where(less_than(zero, x), one, below)};
}

// A product by -1 keeps the sign of 0.
TensorList decompose_conj(Args& a) {
  const Tensor x = a.tensor(0);
  if (!is_complex(x.dtype())) return {x};
  const Tensor part = imag(x);
  return {complex(real(x), part * scalar_like(part, Scalar(-1)))};
}

void register_signs(Registry& r) {
  r.op("abs")
      .schema("abs(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: out = |x|, real where x is complex. The gradient at 0 is 0.\n"
          "x: A Tensor of any dtype.",
          "paddle.abs(paddle.to_tensor([-1.5, 2.0])).tolist()  # [1.5, 2.0]")
      .python("paddle.abs")
      .python("Tensor.abs")
      .inplace_python("paddle.abs_")
      .inplace_python("Tensor.abs_")
      .elementwise()
      .infer(infer_real_of)
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0);
        if (!is_complex(x.dtype())) {  // 0 at 0 whatever the gradient, as of sqrt(abs(x))
          return v.set(0, masked(not_equal(x, zero_of(x)), v.grad() * sign(x)));
        }
        // x / |x|, and 0 at 0; written out because it has derivatives of its own.
        const Tensor size = abs(x), at_zero = equal(size, zero_of(size));
        v.set(0, x * masked(logical_not(at_zero),
                            v.grad() / where(at_zero, scalar_like(size, Scalar(1)), size)));
      })
      .primitive("order");
  r.op("sign")
      .schema("sign(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: -1, 0 or 1; the gradient is 0.\n"
          "x: A Tensor of numbers.",
          "paddle.sign(paddle.to_tensor([-0.5, 0.0, 2.0])).tolist()  # [-1.0, 0.0, 1.0]")
      .python("paddle.sign")
      .python("Tensor.sign")
      .inplace_python("paddle.sign_")
      .inplace_python("Tensor.sign_")
      .elementwise()
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
      .rank(1)
      .decompose(decompose_sign);
  r.op("neg")
      .schema("neg(Tensor x) -> (Tensor out)")
      .doc("Negative: out = -x.", "paddle.neg(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.neg")
      .python("Tensor.neg")
      .inplace_python("paddle.neg_")
      .inplace_python("Tensor.neg_")
      .python("paddle.negative")
      .python("Tensor.negative")
      .elementwise()
      .trait(kUnsaved)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, -v.grad()); })
      .decompose([](Args& a) -> TensorList { return {-a.tensor(0)}; });
}

void register_complex_parts(Registry& r) {
  r.op("conj")
      .schema("conj(Tensor x) -> (Tensor out)")
      .doc("Complex conjugate.", "paddle.conj(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.conj")
      .python("Tensor.conj")
      .elementwise()
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, conj_of(v.grad())); })
      .rank(1)
      .decompose(decompose_conj);
  r.op("real")
      .schema("real(Tensor x) -> (Tensor out)")
      .doc("Real part.", "paddle.real(paddle.to_tensor([1 + 2j]))")
      .python("paddle.real")
      .python("Tensor.real")
      .elementwise()
      .infer(infer_real_of)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, cast(v.grad(), v.in(0).dtype())); })
      .primitive("complex");
  r.op("imag")
      .schema("imag(Tensor x) -> (Tensor out)")
      .doc("Imaginary part of a complex tensor.", "paddle.imag(paddle.to_tensor([1 + 2j]))")
      .python("paddle.imag")
      .python("Tensor.imag")
      .elementwise()
      .infer([](Infer& c) {
        PADDLE_CHECK_TYPE(is_complex(c.dtype(0)), "imag: x has dtype ", c.dtype(0),
                          "; it must be complex; cast x first.");
        infer_real_of(c);
      })
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, cast(v.grad(), v.in(0).dtype()) * Scalar(std::complex<double>(0, 1)));
      })
      .primitive("complex");
}

void register_affine_maps(Registry& r) {
  r.op("scale")
      .schema(
          "scale(Tensor x, Scalar@float32 scale=1.0, Scalar bias=0.0, bool bias_after_scale=true) "
          "-> (Tensor out)")
      .spmd(sharding::scale)
      .doc(
          "Affine map: out = scale * x + bias, or scale * (x + bias).\n"
          "x: A Tensor of numbers.\n"
          "scale: A number, or a Tensor of one element.\n"
          "bias: A number.\n"
          "bias_after_scale: False: the bias is added first.\n"
          "Returns: A Tensor of the shape and dtype of x.",
          "paddle.scale(paddle.to_tensor([1.0, 2.0]), scale=3.0, bias=1.0).tolist()  # [4.0, 7.0]")
      .python("paddle.scale(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)")
      .python("Tensor.scale(scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)")
      .inplace_python("paddle.scale_")
      .inplace_python(
          "Tensor.scale_(scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)")
      .elementwise()
      .integers([](const IntegerArgs& a) -> Integers {
        if (a.slot(1).kind == SlotKind::kTensor) return std::nullopt;
        return integers::affine(a.integers(0), a.scalar(1).to_double(), a.scalar(2).to_double(),
                                a.b(3));
      })
      .infer(infer::same_as_x)
      .saves({"scale"})
      .vjp([](Vjp& v) {
        if (v.args().slot(1).kind == SlotKind::kTensor)  // not yet known, in a program
          return v.set(0, v.grad() * conj_of(cast(v.in(1), v.grad().dtype())));
        const Scalar s = v.scalar(1);
        const Scalar c = s.kind() == Scalar::Kind::kComplex ? Scalar(std::conj(s.to_complex())) : s;
        v.set(0, v.grad() * c);
      })
      .primitive("arithmetic with a constant");
  r.op("increment")
      .schema("increment(Tensor x, float value=1.0) -> (Tensor out)")
      .doc("x + value for an x of one element.", "paddle._C_ops.increment(paddle.zeros([1]), 2.0)")
      .elementwise()
      .integers([](const IntegerArgs& a) { return integers::affine(a.integers(0), 1, a.f(1)); })
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

}  // namespace

void register_unary(Registry& r) {
  register_signs(r);
  register_complex_parts(r);
  classification(r.op("isnan").schema("isnan(Tensor x) -> (Tensor out)"), "not a number",
                 "[False, False, True]")
      .decompose(by_parts<is_no_number, false>);
  classification(r.op("isinf").schema("isinf(Tensor x) -> (Tensor out)"), "infinite",
                 "[False, True, False]")
      .decompose(by_parts<is_infinite, false>);
  classification(r.op("isfinite").schema("isfinite(Tensor x) -> (Tensor out)"),
                 "neither infinite nor NaN", "[True, False, False]")
      .decompose(by_parts<is_finite, true>);
  register_affine_maps(r);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one tensor.
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/elementwise/smooth_product.h"

namespace paddle::ops {

void register_unary(Registry& r) {
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
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) * Scalar(0.69314718055994531))); })
      .decompose([](Args& a) -> TensorList {
        return {log(a.tensor(0)) * Scalar(1.0 / 0.69314718055994531)};
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
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(v.in(0) * Scalar(2.3025850929940457))); })
      .decompose([](Args& a) -> TensorList {
        return {log(a.tensor(0)) * Scalar(1.0 / 2.3025850929940457)};
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
  r.op("sqrt")
      .schema("sqrt(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = sqrt(x).", "paddle.sqrt(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.sqrt")
      .python("Tensor.sqrt")
      .inplace_python("paddle.sqrt_")
      .inplace_python("Tensor.sqrt_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * Scalar(0.5) / conj_of(v.out())); })
      .primitive("transcendental");
  r.op("rsqrt")
      .schema("rsqrt(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = 1 / sqrt(x).", "paddle.rsqrt(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.rsqrt")
      .python("Tensor.rsqrt")
      .inplace_python("paddle.rsqrt_")
      .inplace_python("Tensor.rsqrt_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * Scalar(-0.5) * conj_of(v.out() * v.out() * v.out())); })
      .decompose([](Args& a) -> TensorList { return {reciprocal(sqrt(a.tensor(0)))}; });
  r.op("reciprocal")
      .schema("reciprocal(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = 1 / x.", "paddle.reciprocal(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.reciprocal")
      .python("Tensor.reciprocal")
      .inplace_python("paddle.reciprocal_")
      .inplace_python("Tensor.reciprocal_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, -(v.grad() * conj_of(v.out() * v.out()))); })
      .decompose([](Args& a) -> TensorList {
        return {constant_like(a.tensor(0), Scalar(1)) / a.tensor(0)};
      });
  r.op("sin")
      .schema("sin(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = sin(x).", "paddle.sin(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.sin")
      .python("Tensor.sin")
      .inplace_python("paddle.sin_")
      .inplace_python("Tensor.sin_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.in(0).dtype()) ? v.grad() * conj(cos(v.in(0)))
                                             : smooth(v.in(0), {v.grad()}, kWave, {0, 1}));
      })
      .primitive("transcendental");
  r.op("cos")
      .schema("cos(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = cos(x).", "paddle.cos(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.cos")
      .python("Tensor.cos")
      .inplace_python("paddle.cos_")
      .inplace_python("Tensor.cos_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.in(0).dtype()) ? -(v.grad() * conj(sin(v.in(0))))
                                             : smooth(v.in(0), {v.grad()}, kWave, {-1, 0}));
      })
      .primitive("transcendental");
  r.op("tan")
      .schema("tan(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = tan(x).", "paddle.tan(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.tan")
      .python("Tensor.tan")
      .inplace_python("paddle.tan_")
      .inplace_python("Tensor.tan_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(square(v.out()) + Scalar(1))); })
      .decompose([](Args& a) -> TensorList { return {sin(a.tensor(0)) / cos(a.tensor(0))}; });
  r.op("asin")
      .schema("asin(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = arcsin(x).", "paddle.asin(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.asin")
      .python("Tensor.asin")
      .inplace_python("paddle.asin_")
      .inplace_python("Tensor.asin_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(rsqrt(Scalar(1) - square(v.in(0))))); })
      .primitive("transcendental");
  r.op("acos")
      .schema("acos(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = arccos(x).", "paddle.acos(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.acos")
      .python("Tensor.acos")
      .inplace_python("paddle.acos_")
      .inplace_python("Tensor.acos_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, -(v.grad() * conj_of(rsqrt(Scalar(1) - square(v.in(0)))))); })
      .primitive("transcendental");
  r.op("atan")
      .schema("atan(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = arctan(x).", "paddle.atan(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.atan")
      .python("Tensor.atan")
      .inplace_python("paddle.atan_")
      .inplace_python("Tensor.atan_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(square(v.in(0)) + Scalar(1))); })
      .primitive("transcendental");
  r.op("sinh")
      .schema("sinh(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = sinh(x).", "paddle.sinh(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.sinh")
      .python("Tensor.sinh")
      .inplace_python("paddle.sinh_")
      .inplace_python("Tensor.sinh_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(cosh(v.in(0)))); })
      .primitive("transcendental");
  r.op("cosh")
      .schema("cosh(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = cosh(x).", "paddle.cosh(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.cosh")
      .python("Tensor.cosh")
      .inplace_python("paddle.cosh_")
      .inplace_python("Tensor.cosh_")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(sinh(v.in(0)))); })
      .primitive("transcendental");
  r.op("tanh")
      .schema("tanh(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = tanh(x).", "paddle.tanh(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.tanh")
      .python("Tensor.tanh")
      .python("paddle.nn.functional.tanh")
      .inplace_python("paddle.tanh_")
      .inplace_python("Tensor.tanh_")
      .inplace_python("paddle.nn.functional.tanh_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_float)
      .saves({"out"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.out().dtype()) ? v.grad() * conj_of(Scalar(1) - square(v.out()))
                                             : tanh_grad(v.out(), v.grad()));
      })
      .primitive("transcendental");
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
      .vjp([](Vjp& v) { v.set(0, v.grad() * exp(-square(v.in(0))) * Scalar(1.1283791670955126)); })
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
  r.op("square")
      .schema("square(Tensor x) -> (Tensor out)")
      .doc("Elementwise: out = x * x.", "paddle.square(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.square")
      .python("Tensor.square")
      .inplace_python("paddle.square_")
      .inplace_python("Tensor.square_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({"x"})
      .vjp([](Vjp& v) {
        v.set(0, is_complex(v.in(0).dtype()) ? v.grad() * conj(v.in(0)) * Scalar(2)
                                             : smooth(v.in(0), {v.grad()}, kPower, {0, 2}));
      })
      .decompose([](Args& a) -> TensorList { return {a.tensor(0) * a.tensor(0)}; });
  r.op("floor")
      .schema("floor(Tensor x) -> (Tensor out)")
      .doc("Elementwise floor to whole numbers; the gradient is 0.",
           "paddle.floor(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.floor")
      .python("Tensor.floor")
      .inplace_python("paddle.floor_")
      .inplace_python("Tensor.floor_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, full_like(v.in(0), Scalar(0), DType::kUndefined, v.in(0).place()));
      })
      .primitive("rounding");
  r.op("ceil")
      .schema("ceil(Tensor x) -> (Tensor out)")
      .doc("Elementwise ceil to whole numbers; the gradient is 0.",
           "paddle.ceil(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.ceil")
      .python("Tensor.ceil")
      .inplace_python("paddle.ceil_")
      .inplace_python("Tensor.ceil_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, full_like(v.in(0), Scalar(0), DType::kUndefined, v.in(0).place()));
      })
      .primitive("rounding");
  r.op("round")
      .schema("round(Tensor x, int decimals=0) -> (Tensor out)")
      .doc("Elementwise round to whole numbers; the gradient is 0.",
           "paddle.round(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.round")
      .python("Tensor.round")
      .inplace_python("paddle.round_")
      .inplace_python("Tensor.round_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, full_like(v.in(0), Scalar(0), DType::kUndefined, v.in(0).place()));
      })
      .primitive("rounding");
  r.op("trunc")
      .schema("trunc(Tensor x) -> (Tensor out)")
      .doc("Elementwise trunc to whole numbers; the gradient is 0.",
           "paddle.trunc(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.trunc(input, name=None)")
      .python("Tensor.trunc")
      .inplace_python("paddle.trunc_(input, name=None)")
      .inplace_python("Tensor.trunc_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, full_like(v.in(0), Scalar(0), DType::kUndefined, v.in(0).place()));
      })
      .primitive("rounding");
  r.op("abs")
      .schema("abs(Tensor x) -> (Tensor out)")
      .doc("Absolute value; its gradient at 0 is 0; complex x gives real.",
           "paddle.abs(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.abs")
      .python("Tensor.abs")
      .inplace_python("paddle.abs_")
      .inplace_python("Tensor.abs_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_real_of)
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0);
        if (!is_complex(x.dtype())) return v.set(0, v.grad() * sign(x));
        // x / |x|, and 0 at 0; written out because it has derivatives of its own.
        const Tensor size = abs(x), at_zero = equal(size, zero_of(size));
        v.set(0, x * masked(logical_not(at_zero),
                            v.grad() / where(at_zero, constant_like(size, Scalar(1)), size)));
      })
      .primitive("order");
  r.op("sign")
      .schema("sign(Tensor x) -> (Tensor out)")
      .doc("Sign: -1, 0 or 1; the gradient is 0.", "paddle.sign(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.sign")
      .python("Tensor.sign")
      .inplace_python("paddle.sign_")
      .inplace_python("Tensor.sign_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) {
        v.set(0, full_like(v.in(0), Scalar(0), DType::kUndefined, v.in(0).place()));
      })
      .primitive("order");
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
  r.op("conj")
      .schema("conj(Tensor x) -> (Tensor out)")
      .doc("Complex conjugate.", "paddle.conj(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.conj")
      .python("Tensor.conj")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, conj_of(v.grad())); })
      .primitive("complex");
  r.op("real")
      .schema("real(Tensor x) -> (Tensor out)")
      .doc("Real part.", "paddle.real(paddle.to_tensor([1 + 2j]))")
      .python("paddle.real")
      .python("Tensor.real")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
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
      .amp_class(AmpClass::kNeutral)
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
  r.op("isnan")
      .schema("isnan(Tensor x) -> (Tensor out)")
      .doc("Elementwise test isnan, as bool.", "paddle.isnan(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.isnan")
      .python("Tensor.isnan")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_flag)
      .no_grad()
      .primitive("floating point classes");
  r.op("isinf")
      .schema("isinf(Tensor x) -> (Tensor out)")
      .doc("Elementwise test isinf, as bool.", "paddle.isinf(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.isinf")
      .python("Tensor.isinf")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_flag)
      .no_grad()
      .primitive("floating point classes");
  r.op("isfinite")
      .schema("isfinite(Tensor x) -> (Tensor out)")
      .doc("Elementwise test isfinite, as bool.", "paddle.isfinite(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.isfinite")
      .python("Tensor.isfinite")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer_flag)
      .no_grad()
      .primitive("floating point classes");
  r.op("scale")
      .schema(
          "scale(Tensor x, Scalar@float32 scale=1.0, Scalar bias=0.0, bool bias_after_scale=true) "
          "-> (Tensor out)")
      .doc(
          "Affine map: out = scale * x + bias, or scale * (x + bias) when bias_after_scale is "
          "false.",
          "paddle.scale(paddle.to_tensor([1.0]))")
      .python("paddle.scale(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)")
      .python("Tensor.scale(scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)")
      .inplace_python("paddle.scale_")
      .inplace_python(
          "Tensor.scale_(scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None)")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) {
        const Scalar s = v.scalar(1);
        const Scalar c = s.kind() == Scalar::Kind::kComplex ? Scalar(std::conj(s.to_complex())) : s;
        v.set(0, v.grad() * c);
      })
      .primitive("arithmetic with a constant");
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
          v.set(0, full_like(v.in(0), Scalar(0), DType::kUndefined, v.in(0).place()));
        else
          v.set(0, v.grad() * conj_of(pow(v.in(0), less) * y));
      })
      .decompose([](Args& a) -> TensorList {
        return {elementwise_pow(a.tensor(0), constant_like(a.tensor(0), a.scalar(1)))};
      });
}

}  // namespace paddle::ops

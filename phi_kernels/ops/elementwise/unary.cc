// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Signs, parts and classes of numbers, and the affine map.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {

void register_unary(Registry& r) {
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
      .doc("Sign: -1, 0 or 1; the gradient is 0.", "paddle.sign(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.sign")
      .python("Tensor.sign")
      .inplace_python("paddle.sign_")
      .inplace_python("Tensor.sign_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
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
      .saves({"scale"})
      .vjp([](Vjp& v) {
        if (v.args().slot(1).kind == SlotKind::kTensor)  // not yet known, in a program
          return v.set(0, v.grad() * conj_of(cast(v.in(1), v.grad().dtype())));
        const Scalar s = v.scalar(1);
        const Scalar c = s.kind() == Scalar::Kind::kComplex ? Scalar(std::conj(s.to_complex())) : s;
        v.set(0, v.grad() * c);
      })
      .primitive("arithmetic with a constant");
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Complex tensors from and to pairs of real ones, and their angles.
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {
namespace {

void infer_complex(Infer& c) {
  const DType t = c.dtype(0);
  PADDLE_CHECK_TYPE(t == DType::kFloat32 || t == DType::kFloat64, c.op_name(), ": real has dtype ",
                    t, "; it must be float32 or float64; cast it with astype('float32').");
  c.require_same_dtype(0, 1);
  infer::broadcast(c);
  c.out(0, complex_of(t));
}

void infer_as_complex(Infer& c) {
  const DType t = c.dtype(0);
  PADDLE_CHECK_TYPE(t == DType::kFloat32 || t == DType::kFloat64, c.op_name(), ": x has dtype ", t,
                    "; it must be float32 or float64; cast it with astype('float32').");
  PADDLE_CHECK_VALUE(c.rank(0) > 0 && decide_eq(c.shape(0).back(), 2, true), c.op_name(),
                     ": x has shape ", c.shape(0),
                     "; the last dimension must be 2 (real and imaginary part); stack the parts.");
  c.out(0, Shape(c.shape(0).begin(), c.shape(0).end() - 1), complex_of(t));
}

void infer_as_real(Infer& c) {
  PADDLE_CHECK_TYPE(is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; it must be complex; stack real and imaginary parts instead.");
  Shape out = c.shape(0);
  out.push_back(2);
  c.out(0, out, real_of(c.dtype(0)));
}

Tensor last_of_pair(const Tensor& x, int64_t k) {
  const Shape last{Dim(x.ndim() - 1)};
  return squeeze(slice(x, last, Shape{Dim(k)}, Shape{Dim(k + 1)}, Shape(), Shape()), last);
}

TensorList decompose_angle(Args& a) {
  const Tensor x = a.tensor(0);
  if (is_complex(x.dtype())) return {atan2(imag(x), real(x))};
  const Tensor t = is_int_or_bool(x.dtype()) ? cast(x, DType::kFloat32) : x;
  const Tensor zero = zero_of(t);
  const Tensor turned = where(less_than(t, zero), scalar_like(t, Scalar(3.141592653589793)), zero);
  return {where(isnan(t), t, expand_as(turned, t, t.shape()))};
}

}  // namespace

void register_complex(Registry& r) {
  r.op("complex")
      .schema("complex(Tensor real, Tensor imag) -> (Tensor out)")
      .doc("real + i imag, elementwise; both broadcast against each other.",
           "paddle.complex(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))")
      .python("paddle.complex(real, imag, name=None, *, out=None)")
      .elementwise()
      .trait(kBroadcast)
      .primitive("complex")
      .infer(infer_complex)
      .saves({})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, real(v.grad()));
        if (v.needs(1)) v.set(1, imag(v.grad()));
      });

  r.op("as_complex")
      .schema("as_complex(Tensor x) -> (Tensor out)")
      .doc(
          "Complex numbers from pairs.\n"
          "x: A floating Tensor of shape [..., 2].\n"
          "Returns: A complex Tensor of shape [...].",
          "paddle.as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()  # [(1+2j)]")
      .python("paddle.as_complex(x, name=None)")
      .python("Tensor.as_complex(x, name=None)")
      .infer(infer_as_complex)
      .decompose([](Args& a) -> TensorList {
        return {complex(last_of_pair(a.tensor(0), 0), last_of_pair(a.tensor(0), 1))};
      })
      .saves({})
      .vjp([](Vjp& v) { v.set(0, as_real(v.grad())); });

  r.op("as_real")
      .schema("as_real(Tensor x) -> (Tensor out)")
      .doc(
          "Complex numbers as pairs.\n"
          "x: A complex Tensor of shape [...].\n"
          "Returns: A floating Tensor of shape [..., 2].",
          "paddle.as_real(paddle.to_tensor([1 + 2j])).tolist()  # [[1.0, 2.0]]")
      .python("paddle.as_real(x, name=None)")
      .python("Tensor.as_real(x, name=None)")
      .infer(infer_as_real)
      .decompose([](Args& a) -> TensorList {
        return {stack({real(a.tensor(0)), imag(a.tensor(0))}, -1)};
      })
      .saves({})
      .vjp([](Vjp& v) { v.set(0, as_complex(v.grad())); });

  r.op("angle")
      .schema("angle(Tensor x) -> (Tensor out)")
      .doc("The angle of complex numbers in (-pi, pi]; of real ones 0, or pi where x < 0.",
           "paddle.angle(paddle.to_tensor([1j]))")
      .python("paddle.angle(x, name=None)")
      .python("Tensor.angle(x, name=None)")
      .elementwise()
      .infer([](Infer& c) {
        const DType t = c.dtype(0);
        c.out(0, c.shape(0), is_int_or_bool(t) ? DType::kFloat32 : real_of(t));
      })
      .decompose(decompose_angle);
}

}  // namespace paddle::ops

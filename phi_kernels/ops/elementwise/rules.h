// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shape rules and gradient helpers that the elementwise operators share.
#pragma once

#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/operators.h"

namespace paddle::ops {

inline bool is_int_or_bool(DType t) { return is_integer(t) || is_bool(t); }
// Functions over real numbers: integers give float32.
inline void infer_float(Infer& c) {
  const DType d = c.dtype(0);
  c.out(0, c.shape(0), is_int_or_bool(d) ? DType::kFloat32 : d);
}
inline void infer_float_broadcast(Infer& c) {
  infer::broadcast(c);
  const DType d = c.dtype(0);
  if (is_int_or_bool(d)) c.out(0, DType::kFloat32);
}
inline void infer_real_of(Infer& c) { c.out(0, c.shape(0), real_of(c.dtype(0))); }
inline void infer_flag(Infer& c) { c.out(0, c.shape(0), DType::kBool); }
inline void infer_bits(Infer& c) {
  PADDLE_CHECK_TYPE(is_int_or_bool(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; bitwise operators take bool and integers; cast x first.");
  c.op().num_tensor_args > 1 ? infer::broadcast(c) : infer::same_as_x(c);
}
inline void infer_ordered(Infer& c) {
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; use real(), imag() or abs() first.");
  infer::broadcast(c);
}
inline void infer_real_floats(Infer& c) {
  c.require_floating(0);
  infer_ordered(c);
}

inline Tensor conj_of(const Tensor& t) { return is_complex(t.dtype()) ? conj(t) : t; }
// A 0-d constant of x's dtype.
inline Tensor scalar_like(const Tensor& x, const Scalar& value) {
  return full(Shape(), value, x.dtype(), x.place());
}
// value where the condition holds, else 0 (also where value is infinite or NaN).
inline Tensor masked(const Tensor& condition, const Tensor& value) {
  return where(condition, value, scalar_like(value, Scalar(0)));
}
inline Tensor zero_of(const Tensor& x) { return scalar_like(x, Scalar(0)); }
inline Tensor zeros_like(const Tensor& x) {
  return full_like(x, Scalar(0), DType::kUndefined, x.place());
}

// What functions of real and complex numbers share: `formula` of the document, and the four
// spellings.
// `at` and `value`: a number, and what Python prints for the function of it.
inline OpDef& real_function(OpDef& op, const char* formula, const char* at = "0.25",
                            const char* value = nullptr) {
  const std::string name = op.name();
  op.doc(str("Elementwise: out = ", formula,
             ".\nx: A floating or complex Tensor; integers give float32."),
         str("paddle.", name, "(paddle.to_tensor([", at, "])).tolist()", value ? "  # [" : "",
             value ? value : "", value ? "]" : ""));
  op.python("paddle." + name).python("Tensor." + name);
  op.inplace_python(str("paddle.", name, "_")).inplace_python(str("Tensor.", name, "_"));
  return op.elementwise().amp_class(AmpClass::kHigh).infer(infer_float);
}

}  // namespace paddle::ops

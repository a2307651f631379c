// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Short spellings for the operators that gradient rules and decompositions use most.
#pragma once

#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/operators.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {

inline Tensor sum_axes(const Tensor& x, const Shape& axes, bool keepdim) {
  return sum(x, axes, DType::kUndefined, keepdim);
}
inline Tensor as_dtype(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : cast(x, dtype);
}
inline Tensor constant_like(const Tensor& x, double value) {
  return full_like(x, Scalar(value), x.dtype(), x.place());
}
inline Tensor zeros(const Shape& shape, const Tensor& like) {
  return full(shape, Scalar(0.0), like.dtype(), like.place());
}
// An extent as a 0-d tensor; of one that varies, what it is when the program runs.
inline Tensor extent_number(Dim n, DType dtype, Place place) {
  if (!n.is_symbolic()) return full(Shape(), Scalar(n.value()), dtype, place);
  return as_dtype(numel(full(Shape{n}, Scalar(false), DType::kBool, place)), dtype);
}
// x * n for an extent.
inline Tensor times_extent(const Tensor& x, Dim n) {
  return n.is_symbolic() ? x * extent_number(n, x.dtype(), x.place()) : x * Scalar(n.value());
}
// a + b where either may be undefined (a symbolic zero).
inline Tensor plus(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}
inline Tensor times(const Tensor& x, double factor) { return x * Scalar(factor); }
// a * b with an undefined factor standing for one.
inline Tensor scaled_by(const Tensor& a, const Tensor& b) { return b.defined() ? a * b : a; }

}  // namespace paddle::ops

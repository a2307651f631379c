// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What matrix decompositions share: checks of their arguments, and short spellings for gradient
// rules. The rules follow Giles, "An extended collection of matrix derivative results" (2008), with
// conjugate transposes for complex matrices.
#pragma once

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/linalg.h"

namespace paddle::ops {

// -- shape rules -----------------------------------------------------------------------------
inline void require_factorable(const Infer& c, int i) {
  const DType t = c.dtype(i);
  PADDLE_CHECK_TYPE(
      t == DType::kFloat32 || t == DType::kFloat64 || is_complex(t), c.op_name(), ": ",
      c.arg_name(i), " has dtype ", t,
      "; it must be float32, float64, complex64 or complex128; cast it with astype().");
}
inline void require_matrix(const Infer& c, int i) {
  PADDLE_CHECK_VALUE(c.rank(i) >= 2, c.op_name(), ": ", c.arg_name(i), " has shape ", c.shape(i),
                     "; it must hold matrices in its last two dimensions; reshape it.");
  require_factorable(c, i);
}
inline Dim rows_of(const Shape& s) { return s[s.size() - 2]; }
inline Dim columns_of(const Shape& s) { return s[s.size() - 1]; }
inline void require_square(const Infer& c, int i) {
  require_matrix(c, i);
  PADDLE_CHECK_VALUE(decide_eq(rows_of(c.shape(i)), columns_of(c.shape(i)), true), c.op_name(),
                     ": ", c.arg_name(i), " has shape ", c.shape(i),
                     "; its last two dimensions must be equal; pass square matrices.");
}
// The dimensions before the matrices.
inline Shape batch_shape(const Shape& s) { return Shape(s.begin(), s.end() - 2); }
inline Shape with_matrix(Shape batch, Dim rows, Dim columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}
inline Shape with_vector(Shape batch, Dim n) {
  batch.push_back(n);
  return batch;
}
// Batch dimensions of arguments i and j broadcast, with the matrix dimensions of j.
inline Shape broadcast_batch_shape(const Infer& c, int i, int j) {
  const Shape a = batch_shape(c.shape(i)), b = batch_shape(c.shape(j));
  Shape out;
  broadcast_into(a, b, c.op_name(), c.arg_name(i), c.arg_name(j), out);
  return with_matrix(out, rows_of(c.shape(j)), columns_of(c.shape(j)));
}

// -- spellings of gradient rules ---------------------------------------------------------------
inline Tensor conjugate(const Tensor& t) { return is_complex(t.dtype()) ? conj(t) : t; }
inline Tensor swap_last(const Tensor& t) {
  Shape order;
  const int64_t rank = t.ndim();
  for (int64_t d = 0; d < rank - 2; ++d) order.push_back(d);
  order.push_back(rank - 1);
  order.push_back(rank - 2);
  return transpose(t, order);
}
inline Tensor adjoint(const Tensor& t) { return conjugate(swap_last(t)); }
inline Tensor mm(const Tensor& a, const Tensor& b) { return matmul(a, b, false, false); }
inline Tensor hermitian_part(const Tensor& t) { return times(t + adjoint(t), 0.5); }
// Ones on the diagonal of matrices shaped as t.
inline Tensor identity_like(const Tensor& t) {
  const Tensor ones = constant_like(t, 1.0);
  return tril(triu(ones, 0), 0);
}
// The diagonal of matrices, and matrices with a given diagonal.
inline Tensor diagonal_of(const Tensor& t) { return diagonal(t, 0, -2, -1); }
inline Tensor as_column(const Tensor& t) { return unsqueeze(t, Shape{-1}); }
inline Tensor as_row(const Tensor& t) { return unsqueeze(t, Shape{-2}); }
inline Tensor real_part(const Tensor& t) { return is_complex(t.dtype()) ? real(t) : t; }
// 1 / gaps outside the diagonal, 0 on it.
inline Tensor inverse_off_diagonal(const Tensor& gaps) {
  const Tensor one = identity_like(gaps);
  return (constant_like(gaps, 1.0) - one) / (gaps + one);
}
// The first n rows or columns.
inline Tensor narrow(const Tensor& t, int64_t axis, Dim begin, Dim end) {
  const Shape axes{axis < 0 ? axis + t.ndim() : axis};
  return slice(t, axes, Shape{begin}, Shape{end}, Shape{}, Shape{});
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices built from diagonals, and sums of diagonals.
#include "phi_kernels/ops/linalg/matrices.h"

namespace paddle::ops {
namespace {

struct Plane {
  int64_t axis1, axis2;
  Dim length;
};

Plane plane_of(const Shape& x, int64_t offset, int64_t axis1, int64_t axis2, const char* op,
               const char* name1, const char* name2) {
  const auto rank = static_cast<int64_t>(x.size());
  PADDLE_CHECK_VALUE(rank >= 2, op, ": x has shape ", x,
                     "; a diagonal needs two dimensions; reshape it.");
  Plane p{normalize_axis(axis1, rank, op, name1), normalize_axis(axis2, rank, op, name2), 0};
  PADDLE_CHECK_VALUE(p.axis1 != p.axis2, op, ": ", name1, " and ", name2, " are both ", p.axis1,
                     "; they must differ; name two dimensions.");
  Dim rows = x[static_cast<size_t>(p.axis1)], columns = x[static_cast<size_t>(p.axis2)];
  if (offset >= 0) columns = columns - offset;
  if (offset < 0) rows = rows + offset;
  p.length = max(min(rows, columns), 0);
  return p;
}

Shape diagonal_shape(const Shape& x, const Plane& p) {
  Shape out;
  for (size_t d = 0; d < x.size(); ++d) {
    if (int64_t(d) != p.axis1 && int64_t(d) != p.axis2) out.push_back(x[d]);
  }
  out.push_back(p.length);
  return out;
}

// The shape of a matrix with the last dimension of x on its diagonal `offset`.
Shape embedded_shape(const Shape& x, int64_t offset, int64_t dim1, int64_t dim2, const char* op) {
  const auto rank = static_cast<int64_t>(x.size()) + 1;
  PADDLE_CHECK_VALUE(rank >= 2, op, ": input has shape ", x,
                     "; it must have a dimension; reshape it to [1].");
  const int64_t a = normalize_axis(dim1, rank, op, "dim1"),
                b = normalize_axis(dim2, rank, op, "dim2");
  PADDLE_CHECK_VALUE(a != b, op, ": dim1 and dim2 are both ", a,
                     "; they must differ; name two dimensions.");
  const Dim n = x.back() + max(offset, Dim(0) - Dim(offset));
  Shape out;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    out.push_back(d == a || d == b ? n : x[next++]);
  }
  return out;
}

Tensor embed(const Tensor& x, const Shape& into, int64_t offset, int64_t dim1, int64_t dim2) {
  return fill_diagonal_tensor(full(into, Scalar(0), x.dtype(), x.place()), x, offset, dim1, dim2);
}

}  // namespace

void register_diag_embed(Registry& r) {
  r.op("diag_embed")
      .schema("diag_embed(Tensor input, int offset=0, int dim1=-2, int dim2=-1) -> (Tensor out)")
      .doc("Matrices, in dimensions dim1 and dim2, with the last dimension of input as diagonals.",
           "paddle.diag_embed(paddle.to_tensor([1.0, 2.0]))")
      .python("paddle.diag_embed(input, offset=0, dim1=-2, dim2=-1)")
      .python("paddle.nn.functional.diag_embed(input, offset=0, dim1=-2, dim2=-1)")
      .python("Tensor.diag_embed(input, offset=0, dim1=-2, dim2=-1)")
      .infer([](Infer& c) {
        c.out(0, embedded_shape(c.shape(0), c.i(1), c.i(2), c.i(3), c.op_name()), c.dtype(0));
      })
      .saves({})
      .vjp([](Vjp& v) { v.set(0, diagonal(v.grad(), v.i(1), v.i(2), v.i(3))); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {embed(x, embedded_shape(x.shape(), a.i(1), a.i(2), a.i(3), "diag_embed"), a.i(1),
                      a.i(2), a.i(3))};
      });

  r.op("trace")
      .schema("trace(Tensor x, int offset=0, int axis1=0, int axis2=1) -> (Tensor out)")
      .doc("The sums of the diagonals of the matrices in dimensions axis1 and axis2.",
           "paddle.trace(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .python("paddle.trace(x, offset=0, axis1=0, axis2=1, name=None)")
      .python("Tensor.trace(x, offset=0, axis1=0, axis2=1, name=None)")
      .alias("input", "x")
      .infer([](Infer& c) {
        const Plane p = plane_of(c.shape(0), c.i(1), c.i(2), c.i(3), c.op_name(), "axis1", "axis2");
        Shape out = diagonal_shape(c.shape(0), p);
        out.pop_back();
        c.out(0, out, c.dtype(0));
      })
      .saves({})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0);
        const Plane p = plane_of(x.shape(), v.i(1), v.i(2), v.i(3), "trace", "axis1", "axis2");
        const Tensor g = expand(as_column(v.grad()), diagonal_shape(x.shape(), p));
        v.set(0, embed(g, x.shape(), v.i(1), v.i(2), v.i(3)));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {sum(diagonal(x, a.i(1), a.i(2), a.i(3)), Shape{-1}, x.dtype(), false)};
      });
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors made by a pattern: diag, meshgrid, logspace, the indices of triangles, fill.
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {
namespace {

// arguments: rows, columns, offset, dtype
Dim triangle_size(int64_t rows, int64_t columns, int64_t offset, bool lower) {
  const int64_t all = numel_of(Shape{rows, columns}).value();  // OverflowError when too many
  // Row r has min(max(r + a, 0), columns) entries below: a difference of sums of min(i, columns).
  const auto sum_until = [columns](__int128 m) -> __int128 {
    if (m <= 0) return 0;
    const __int128 whole = std::min<__int128>(m, columns);
    return whole * (whole - 1) / 2 + (m - whole) * columns;
  };
  const __int128 a = static_cast<__int128>(offset) + (lower ? 1 : 0);
  const auto below = static_cast<int64_t>(sum_until(rows + a) - sum_until(a));
  return lower ? below : all - below;
}

void infer_triangle(Infer& c, bool lower) {
  PADDLE_CHECK_VALUE(c.i(0) >= 0 && c.i(1) >= 0, c.op_name(), ": the matrix has ", c.i(0),
                     " rows and ", c.i(1), " columns; both must be >= 0; pass such sizes.");
  const DType t = c.dtype_attr(3);
  PADDLE_CHECK_TYPE(t == DType::kInt32 || t == DType::kInt64, c.op_name(), ": dtype is ", t,
                    "; indices are int32 or int64; pass one of them.");
  c.out(0, Shape{2, triangle_size(c.i(0), c.i(1), c.i(2), lower)}, t);
}

void infer_diag(Infer& c) {
  PADDLE_CHECK_VALUE(c.rank(0) <= 2, "diag: x has shape ", c.shape(0),
                     "; it must have at most 2 axes; use paddle.diagonal.");
  const Dim right = max(c.i(1), 0), down = max(Dim(0) - Dim(c.i(1)), 0);
  if (c.rank(0) < 2) {
    const Dim n = (c.rank(0) == 0 ? Dim(1) : c.shape(0)[0]) + right + down;
    return c.out(0, Shape{n, n}, c.dtype(0));
  }
  c.out(0, Shape{max(min(c.shape(0)[0] - down, c.shape(0)[1] - right), 0)}, c.dtype(0));
}

TensorList diag_decompose(Args& a) {
  const Tensor x = a.tensor(0);
  const int64_t offset = a.i(1);
  if (x.ndim() == 2) return {assign(diagonal(x, offset, 0, 1))};
  const Tensor line = x.ndim() == 0 ? reshape(x, Shape{1}) : x;
  const Dim n = line.shape()[0] + max(offset, Dim(0) - Dim(offset));
  return {fill_diagonal_tensor(full(Shape{n, n}, Scalar(a.f(2)), x.dtype(), x.place()), line,
                               offset, 0, 1)};
}

// The place of input i among the axes of the grids.
TensorList meshgrid_decompose(Args& a) {
  const TensorList inputs = a.list(0);
  Shape grid;
  for (const Tensor& t : inputs) grid.push_back(t.ndim() == 0 ? Dim(1) : t.shape()[0]);
  TensorList out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Shape column(inputs.size(), Dim(1));
    column[i] = grid[i];
    out.push_back(assign(expand(reshape(inputs[i], column), grid)));
  }
  return out;
}

}  // namespace

void register_pattern(Registry& r) {
  r.op("diag")
      .schema("diag(Tensor x, int offset=0, float padding_value=0.0) -> (Tensor out)")
      .doc(
          "The matrix that has a vector on its diagonal and padding_value elsewhere, or the "
          "diagonal of a matrix.",
          "paddle.diag(paddle.to_tensor([1, 2]))")
      .infer(infer_diag)
      .decompose(diag_decompose);
  r.op("meshgrid")
      .schema("meshgrid(Tensor[] inputs) -> (Tensor[] out)")
      .doc("Grids of coordinates: grid i holds inputs[i] along axis i.",
           "paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4]))")
      .infer([](Infer& c) {
        const auto inputs = c.list(0);
        Shape grid;
        for (const Tensor& t : inputs) {
          PADDLE_CHECK_VALUE(t.ndim() <= 1, "meshgrid: an input has shape ", t.shape(),
                             "; inputs must have at most one axis; flatten it.");
          grid.push_back(t.ndim() == 0 ? Dim(1) : t.shape()[0]);
        }
        c.set_list_size(inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i)
          c.out(static_cast<int>(i), grid, inputs[i].dtype());
      })
      .decompose(meshgrid_decompose);
  r.op("tril_indices")
      .schema(
          "tril_indices(int rows, int cols, int offset, DType dtype=int64, Place place=cpu) -> "
          "(Tensor out)")
      .doc("Rows and columns of the lower triangle of a matrix, as the two rows of the result.",
           "paddle.tril_indices(3, 3, 0)")
      .infer([](Infer& c) { infer_triangle(c, true); })
      .no_grad()
      .opaque("constants of the sizes");
  r.op("triu_indices")
      .schema(
          "triu_indices(int row, int col, int offset, DType dtype=int64, Place place=cpu) -> "
          "(Tensor out)")
      .doc("Rows and columns of the upper triangle of a matrix, as the two rows of the result.",
           "paddle.triu_indices(3, 3, 0)")
      .infer([](Infer& c) { infer_triangle(c, false); })
      .no_grad()
      .opaque("constants of the sizes");
  r.op("fill")
      .schema("fill(Tensor x, Scalar@operand value=0) -> (Tensor out)")
      .doc("A tensor like x whose every element is value.", "paddle.zeros([2]).fill_(1.0)")
      .inplace_python("Tensor.fill_(x, value)")
      .inplace_python("Tensor.zero_(x)")
      .elementwise()
      .reads_shape_of({"x"})
      .infer(infer::same_as_x)
      .vjp([](Vjp& v) {
        v.set(0, full_like(v.grad(), Scalar(0.0), DType::kUndefined, v.grad().place()));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        if (a.slot(1).kind != SlotKind::kTensor) {
          return {full_like(x, a.scalar(1), x.dtype(), x.place())};
        }
        return {assign(expand(cast(reshape(a.tensor(1), Shape()), x.dtype()), x.shape()))};
      });
}

}  // namespace paddle::ops

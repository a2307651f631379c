// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution whose windows are bent by offsets and weighted by a mask (Dai et al., 2017; Zhu et
// al., 2019): bilinear samples as columns, and a product with the filter.
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/vision.h"
#include "phi_kernels/ops/vision/sampling.h"
#include "phi_kernels/rules/window.h"

namespace paddle::ops {
namespace {

// arguments: x, offset, filter, mask, strides, paddings, dilations, deformable_groups, groups,
// im2col_step
void infer_deformable(Infer& c) {
  const char* op = c.op_name();
  c.require_floating(0);
  for (const int k : {0, 1, 2}) c.require_rank(k, 4);
  c.require_same_dtype(1, 0);
  c.require_same_dtype(2, 0);
  const Shape strides = c.ints(4), paddings = c.ints(5), dilations = c.ints(6);
  const auto span = [](const Shape& s) { return std::span<const Dim>(s.data(), s.size()); };
  check_per_axis(op, "strides", span(strides), 2, 1);
  check_per_axis(op, "paddings", span(paddings), 2, 0);
  check_per_axis(op, "dilations", span(dilations), 2, 1);
  const Shape &x = c.shape(0), &filter = c.shape(2);
  const int64_t parts = c.i(7), groups = c.i(8);
  PADDLE_CHECK_VALUE(parts > 0 && groups > 0, op, ": deformable_groups has value ", parts,
                     " and groups has value ", groups, "; both must be positive.");
  PADDLE_CHECK_VALUE(decide_eq(x[1], filter[1] * Dim(groups), true) &&
                         decide_eq(mod(filter[0], groups), 0, true) &&
                         decide_eq(mod(x[1], parts), 0, true),
                     op, ": x has shape ", x, ", filter has shape ", filter, ", groups is ", groups,
                     " and deformable_groups is ", parts,
                     "; x.shape[1] must be filter.shape[1] * groups and a multiple of "
                     "deformable_groups, filter.shape[0] a multiple of groups.");
  Shape out{x[0], filter[0]};
  for (size_t a = 0; a < 2; ++a) {
    PADDLE_CHECK_VALUE(decide_lt(0, filter[a + 2], true) && decide_lt(0, x[a + 2], true), op,
                       ": x has shape ", x, " and filter has shape ", filter,
                       "; no spatial axis may be empty.");
    const Dim window = dilations[a] * (filter[a + 2] - Dim(1)) + Dim(1);
    const Dim padded = x[a + 2] + paddings[a] * Dim(2);
    PADDLE_CHECK_VALUE(decide_le(window, padded, true), op, ": x has shape ", x,
                       " and filter has shape ", filter, "; along spatial axis ", a,
                       " the dilated filter covers ", window, " elements and the padded input has ",
                       padded, ".");
    out.push_back(floordiv(padded - window, strides[a]) + Dim(1));
  }
  const Dim points = Dim(parts) * filter[2] * filter[3];
  c.require_shape(1, Shape{x[0], points * Dim(2), out[2], out[3]});
  if (c.has(3)) {
    c.require_same_dtype(3, 0);
    c.require_shape(3, Shape{x[0], points, out[2], out[3]});
  }
  c.out(0, out, c.dtype(0));
}

// n numbers start, start + step, ... along axis `at` of four.
Tensor line(Dim n, int64_t start, int64_t step, size_t at, const Tensor& like) {
  Shape shape(4, Dim(1));
  shape[at] = n;
  const Tensor i = row_starts(n, 1, like.place());
  return reshape(cast(i * Scalar(step) + Scalar(start), like.dtype()), shape);
}

// Positions more than one element outside in any axis, or exactly one before the first, move to
// where nothing is read: windows over the padding train no offsets.
void drop_outside(TensorList& at, Dim h, Dim w) {
  const auto near = [](const Tensor& p, Dim n) {
    return logical_and(greater_than(p, scalar_like(p, -1)),
                       less_than(p, extent_number(n, p.dtype(), p.place())));
  };
  const Tensor kept = logical_and(near(at[0], h), near(at[1], w));
  for (Tensor& p : at) p = where(kept, p, scalar_like(p, -2));
}

TensorList sample_and_multiply(Args& a) {
  const Tensor x = a.tensor(0), filter = a.tensor(2);
  const Shape strides = a.ints(4), paddings = a.ints(5), dilations = a.ints(6);
  const int64_t parts = a.i(7), groups = a.i(8);
  const auto size = [](const Tensor& t, size_t k) { return t.shape()[k].value(); };
  const Dim n = x.shape()[0], h = x.shape()[2], w = x.shape()[3];
  const int64_t channels = size(filter, 1) * groups;
  const int64_t kh = size(filter, 2), kw = size(filter, 3), filters = size(filter, 0);
  const Dim oh = a.tensor(1).shape()[2], ow = a.tensor(1).shape()[3];
  const int64_t each = channels / parts;
  const Dim batch = n * Dim(parts), points = Dim(kh * kw) * oh * ow;

  // Positions [batch, kh, kw, oh, ow] as [batch, points]: the window's element plus its offset.
  const Tensor offset = reshape(a.tensor(1), Shape{batch, kh * kw, 2, oh * ow});
  const Tensor grid[] = {line(kh, 0, dilations[0].value(), 0, x) +
                             line(oh, -paddings[0].value(), strides[0].value(), 2, x),
                         line(kw, 0, dilations[1].value(), 1, x) +
                             line(ow, -paddings[1].value(), strides[1].value(), 3, x)};
  TensorList at;
  for (int64_t k = 0; k < 2; ++k) {
    const Tensor moved = slice(offset, Shape{2}, Shape{k}, Shape{k + 1}, Shape{1}, Shape());
    const Tensor base = reshape(expand(grid[k], Shape{kh, kw, oh, ow}), Shape{1, points});
    at.push_back(reshape(moved, Shape{batch, points}) + base);
  }
  drop_outside(at, h, w);
  const Tensor rows =
      reshape(transpose(reshape(x, Shape{batch, each, h, w}), Shape{0, 2, 3, 1}), Shape{-1, each});
  Tensor values = read_between(rows, Shape{h, w}, at, batch);
  if (a.has(3)) values = values * reshape(a.tensor(3), Shape{batch, points, 1});

  const Tensor columns =
      transpose(reshape(values, Shape{n, parts, kh * kw, oh * ow, each}), Shape{0, 1, 4, 2, 3});
  const Tensor product =
      matmul(reshape(filter, Shape{1, groups, filters / groups, channels / groups * kh * kw}),
             reshape(columns, Shape{n, groups, channels / groups * kh * kw, oh * ow}));
  return {reshape(product, Shape{n, filters, oh, ow})};
}

}  // namespace

void register_deformable_conv(Registry& r) {
  r.op("deformable_conv")
      .schema(
          "deformable_conv(Tensor x, Tensor offset, Tensor filter, Tensor? mask, int[] strides, "
          "int[] paddings, int[] dilations, int deformable_groups, int groups, int im2col_step) -> "
          "(Tensor out)")
      .doc(
          "conv2d that reads x bilinearly at the elements of every window plus offset, whose axis "
          "1 holds (y, x) for every element of the window of every deformable group, times mask.",
          "paddle._C_ops.deformable_conv(paddle.ones([1, 2, 4, 4]), paddle.zeros([1, 18, 2, 2]), "
          "paddle.ones([3, 2, 3, 3]), None, [1, 1], [0, 0], [1, 1], 1, 1, 1)")
      .infer(infer_deformable)
      .decompose(sample_and_multiply);
}

}  // namespace paddle::ops

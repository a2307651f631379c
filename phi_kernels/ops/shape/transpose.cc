// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// transpose: axes in another order, as a view.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// The axes of the result. A perm with fewer entries than x has axes permutes the leading ones.
Axes permutation_of(const Shape& perm, const Shape& x) {
  const auto rank = static_cast<int64_t>(x.size());
  const auto count = static_cast<int64_t>(perm.size());
  PADDLE_CHECK_VALUE(count <= rank, "transpose: perm has ", count, " entries and x has shape ", x,
                     "; perm must name every axis once; pass ", rank, " entries.");
  Axes axes;
  SmallVector<bool, 8> seen(perm.size(), false);
  for (const Dim p : perm) {
    const int64_t a = normalize_axis(p.value(), rank, "transpose", "perm");
    PADDLE_CHECK_VALUE(a < count && !seen[static_cast<size_t>(a)], "transpose: perm is ", perm,
                       " and names axis ", a,
                       a < count ? " twice" : ", but not all the axes in front of it",
                       "; perm must name every axis once; make it a permutation.");
    seen[static_cast<size_t>(a)] = true;
    axes.push_back(a);
  }
  for (int64_t a = count; a < rank; ++a) axes.push_back(a);
  return axes;
}

Shape inverse_of(const Shape& perm, const Shape& x) {
  const Axes axes = permutation_of(perm, x);
  Shape inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) inverse[static_cast<size_t>(axes[i])] = int64_t(i);
  return inverse;
}

}  // namespace

void register_transpose(Registry& r) {
  r.op("transpose")
      .schema("transpose(Tensor x, int[] perm) -> (Tensor out)")
      .spmd(sharding::transpose)
      .doc(
          "x with its axes in another order, as a view.\n"
          "x: A Tensor of any dtype, of r axes.\n"
          "perm: A permutation of 0 .. r - 1: axis i of the result is axis perm[i] of x.\n"
          "Returns: A Tensor of the dtype of x.\n"
          "Raises: ValueError: perm is no permutation of the axes.",
          "paddle.transpose(paddle.zeros([2, 3, 4]), perm=[2, 0, 1]).shape  # paddle.Size([4, 2, "
          "3])")
      .python("paddle.transpose(x, perm, name=None)")
      .python("Tensor.transpose(x, perm, name=None)")
      .overload("paddle.transpose(x, dim0: int, dim1: int)")
      .overload("Tensor.transpose(x, dim0: int, dim1: int)")
      .python("paddle.swapaxes(x, perm, name=None)")
      .python("Tensor.swapaxes(x, perm, name=None)")
      .overload("paddle.swapaxes(x, axis0: int, axis1: int)")
      .overload("Tensor.swapaxes(x, axis0: int, axis1: int)")
      .overload("paddle.swapaxes(x, dim0: int, dim1: int)")
      .overload("Tensor.swapaxes(x, dim0: int, dim1: int)")
      .python("paddle.swapdims(x, perm, name=None)")
      .python("Tensor.swapdims(x, perm, name=None)")
      .overload("paddle.swapdims(x, dim0: int, dim1: int)")
      .overload("Tensor.swapdims(x, dim0: int, dim1: int)")
      .overload("paddle.swapdims(x, axis0: int, axis1: int)")
      .overload("Tensor.swapdims(x, axis0: int, axis1: int)")
      .python("paddle.permute(input, dims)")
      .python("Tensor.permute(dims)")
      .inplace_python("paddle.transpose_(x, perm, name=None)")
      .inplace_python("Tensor.transpose_(perm, name=None)")
      .alias("dims", "perm")
      .alias("input", "x")
      .primitive("views are the memory operations that everything else is written with")
      .infer([](Infer& c) {
        const Axes axes = permutation_of(c.ints(1), c.shape(0));
        Shape& out = c.out(0, c.dtype(0));
        out.clear();
        for (const int64_t a : axes) out.push_back(c.shape(0)[static_cast<size_t>(a)]);
      })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            Shape shape;
            Strides strides;
            for (const int64_t d : permutation_of(a.ints(1), x.shape())) {
              shape.push_back(x.shape()[static_cast<size_t>(d)]);
              strides.push_back(x.strides()[static_cast<size_t>(d)]);
            }
            return Tensor::alias(x, shape, strides, 0);
          },
          [](Args& a, const Tensor& base, const Tensor& value) {
            return transpose(value, inverse_of(a.ints(1), base.shape()));
          })
      .vjp([](Vjp& v) { v.set(0, transpose(v.grad(), inverse_of(v.ints(1), v.in(0).shape()))); });
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// maxout: the largest of the channels of a group.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"

namespace paddle::ops {
namespace {

Shape maxout_shape(const Shape& x, int64_t axis, int64_t groups) {
  Shape split(x.begin(), x.begin() + axis);
  split.push_back(floordiv(x[static_cast<size_t>(axis)], groups));
  split.push_back(groups);
  for (size_t i = static_cast<size_t>(axis) + 1; i < x.size(); ++i) split.push_back(x[i]);
  return split;
}

void infer_maxout(Infer& c) {
  c.require_floating(0);
  const int64_t axis = c.axis(2, c.rank(0)), groups = c.i(1);
  PADDLE_CHECK_VALUE(
      groups > 1 && decide_eq(mod(c.shape(0)[static_cast<size_t>(axis)], groups), 0, true),
      "maxout: groups is ", groups, " and x has shape ", c.shape(0),
      "; groups must be greater than 1 and divide axis ", axis, ".");
  Shape shape = c.shape(0);
  shape[static_cast<size_t>(axis)] = floordiv(shape[static_cast<size_t>(axis)], groups);
  c.out(0, shape, c.dtype(0));
}

TensorList decompose_maxout(Args& a) {
  const Tensor x = a.tensor(0);
  const int64_t axis = a.i(2) < 0 ? a.i(2) + x.ndim() : a.i(2);
  return {max(reshape(x, maxout_shape(x.shape(), axis, a.i(1))), Shape{axis + 1}, false)};
}

// The first of equal channels receives the gradient.
void maxout_vjp(Vjp& v) {
  const Tensor x = v.in(0);
  const int64_t axis = (v.i(2) < 0 ? v.i(2) + x.ndim() : v.i(2)) + 1;
  const Tensor groups = reshape(x, maxout_shape(x.shape(), axis - 1, v.i(1)));
  const Tensor first = argmax(groups, Scalar(axis), true, false, DType::kInt64);
  const Tensor g = unsqueeze(v.grad(), Shape{axis});
  const Tensor none = full_like(groups, Scalar(0.0), g.dtype(), x.place());
  v.set(0, reshape(put_along_axis(none, first, g, axis, "assign", true), x.shape()));
}

}  // namespace

void register_maxout(Registry& r) {
  r.op("maxout")
      .schema("maxout(Tensor x, int groups, int axis=1) -> (Tensor out)")
      .doc("The maximum over groups of neighbouring channels (Goodfellow et al. 2013).",
           "paddle.nn.functional.maxout(paddle.ones([1, 4, 2, 2]), 2)")
      .python("paddle.nn.functional.maxout(x, groups, axis=1, name=None)")
      .infer(infer_maxout)
      .saves({"x"})
      .vjp(maxout_vjp)
      .decompose(decompose_maxout);
}

}  // namespace paddle::ops

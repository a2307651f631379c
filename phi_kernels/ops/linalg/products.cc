// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The Kronecker and the cross product, and the distance of two tensors.
#include <algorithm>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/linalg.h"

namespace paddle::ops {
namespace {

// -- kron --------------------------------------------------------------------------------------
// The extent of dimension d of `rank`, counted with leading ones.
Dim extent(const Shape& s, size_t d, size_t rank) {
  const size_t missing = rank - s.size();
  return d < missing ? Dim(1) : s[d - missing];
}

Shape kron_shape(const Shape& x, const Shape& y) {
  const size_t rank = std::max(x.size(), y.size());
  Shape out;
  for (size_t d = 0; d < rank; ++d) out.push_back(extent(x, d, rank) * extent(y, d, rank));
  return out;
}

TensorList decompose_kron(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  const size_t rank = std::max(x.shape().size(), y.shape().size());
  Shape left, right;
  for (size_t d = 0; d < rank; ++d) {
    left.push_back(extent(x.shape(), d, rank));
    left.push_back(1);
    right.push_back(1);
    right.push_back(extent(y.shape(), d, rank));
  }
  return {reshape(reshape(x, left) * reshape(y, right), kron_shape(x.shape(), y.shape()))};
}

// -- cross -------------------------------------------------------------------------------------
constexpr int64_t kFirstOfThree = 9;  // as an axis: the first dimension of extent 3

int64_t cross_axis(const Shape& x, int64_t axis) {
  const auto rank = static_cast<int64_t>(x.size());
  if (axis != kFirstOfThree) {
    axis = normalize_axis(axis, rank, "cross", "axis");
    PADDLE_CHECK_VALUE(decide_eq(x[static_cast<size_t>(axis)], 3, true), "cross: x has shape ", x,
                       "; dimension ", axis, " must have extent 3; name another axis.");
    return axis;
  }
  for (axis = 0; axis < rank; ++axis) {
    if (decide_eq(x[static_cast<size_t>(axis)], 3, false)) return axis;
  }
  throw_error(ErrorKind::kValue,
              str("cross: x has shape ", x, "; one dimension must have extent 3; reshape it."));
}

void infer_cross(Infer& c) {
  const Shape &x = c.shape(0), &y = c.shape(1);
  bool equal = x.size() == y.size();
  for (size_t d = 0; equal && d < x.size(); ++d) equal = decide_eq(x[d], y[d], true);
  PADDLE_CHECK_VALUE(equal, c.op_name(), ": x has shape ", x, " and y has shape ", y,
                     "; the shapes must be equal; expand one of them.");
  c.require_same_dtype(0, 1);
  cross_axis(x, c.i(2));
  c.out(0, x, c.dtype(0));
}

TensorList decompose_cross(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  const int64_t axis = cross_axis(x.shape(), a.i(2));
  const auto part = [axis](const Tensor& t, int64_t i) {
    i %= 3;
    return slice(t, Shape{axis}, Shape{i}, Shape{i + 1}, Shape{}, Shape{});
  };
  TensorList parts;
  for (int64_t i = 0; i < 3; ++i) {
    parts.push_back(part(x, i + 1) * part(y, i + 2) - part(x, i + 2) * part(y, i + 1));
  }
  return {concat(parts, Scalar(axis))};
}

}  // namespace

void register_products(Registry& r) {
  r.op("kron")
      .schema("kron(Tensor x, Tensor y) -> (Tensor out)")
      .doc("The Kronecker product: every element of x times y; the smaller rank gets leading ones.",
           "paddle.kron(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 10]))")
      .python("paddle.kron(x, y, name=None)")
      .python("Tensor.kron(y, name=None)")
      .trait(kPromote)
      .infer([](Infer& c) {
        c.require_same_dtype(0, 1);
        c.out(0, kron_shape(c.shape(0), c.shape(1)), c.dtype(0));
      })
      .decompose(decompose_kron);

  r.op("cross")
      .schema("cross(Tensor x, Tensor y, int axis=9) -> (Tensor out)")
      .doc("The cross products of vectors along an axis of extent 3; 9 names the first such axis.",
           "paddle.cross(paddle.eye(3), paddle.ones([3, 3]), axis=1)")
      .python("paddle.cross(x, y, axis=9, name=None)")
      .python("paddle.linalg.cross(x, y, axis=9, name=None)")
      .python("Tensor.cross(y, axis=9, name=None)")
      .alias("dim", "axis")
      .trait(kPromote)
      .infer(infer_cross)
      .decompose(decompose_cross);

  r.op("dist")
      .schema("dist(Tensor x, Tensor y, float p=2.0) -> (Tensor out)")
      .doc("The p-norm of x - y over all elements; the shapes broadcast.",
           "paddle.dist(paddle.ones([2, 2]), paddle.zeros([2]), p=1)")
      .python("paddle.dist(x, y, p=2, name=None)")
      .python("Tensor.dist(y, p=2, name=None)")
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        infer::broadcast(c);
        c.out(0, Shape{}, c.dtype(0));
      })
      .decompose([](Args& a) -> TensorList {
        return {p_norm(a.tensor(0) - a.tensor(1), a.f(2), -1, 1e-12, false, true)};
      });
}

}  // namespace paddle::ops

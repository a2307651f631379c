// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What reductions share: reading the `axis` argument, the reduced shape, and bringing a reduced
// tensor back to the shape it came from. An empty list of axes means all of them.
#pragma once

#include "paddle_core/op/infer.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {

inline Axes reduce_axes(const Shape& axis, int64_t rank, const char* op) {
  Axes raw;
  for (const Dim d : axis) raw.push_back(d.value());
  return normalize_axes({raw.data(), raw.size()}, rank, op);
}

inline bool contains(const Axes& axes, int64_t axis) {
  for (const int64_t a : axes) {
    if (a == axis) return true;
  }
  return false;
}

inline Shape reduced_shape(const Shape& x, const Axes& axes, bool keepdim) {
  Shape out;
  for (size_t d = 0; d < x.size(); ++d) {
    if (!contains(axes, static_cast<int64_t>(d))) {
      out.push_back(x[d]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

inline Dim reduced_count(const Shape& x, const Axes& axes) {
  Dim n = 1;
  for (const int64_t a : axes) n = n * x[static_cast<size_t>(a)];
  return n;
}

// `t` with the reduced axes of a tensor of shape `x` put back as extents of 1.
inline Tensor with_reduced_axes(const Tensor& t, const Shape& x, const Axes& axes) {
  if (t.shape().size() == x.size()) return t;
  return reshape(t, reduced_shape(x, axes, true));
}

// A gradient of the result, repeated over the reduced axes.
inline Tensor unreduce(const Tensor& g, const Shape& x, const Axes& axes) {
  return expand(with_reduced_axes(g, x, axes), x);
}

inline Axes infer_reduce_axes(Infer& c) { return reduce_axes(c.ints(1), c.rank(0), c.op_name()); }

}  // namespace paddle::ops

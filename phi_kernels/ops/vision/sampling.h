// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading images between their elements, written with operators, so that derivatives of any order
// by image, positions and weights follow.
#pragma once

#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"

namespace paddle::ops {

inline Tensor scalar_like(const Tensor& x, double value) {
  return full(Shape(), Scalar(value), x.dtype(), x.place());
}

// Whether 0 <= x <= n - 1; false of NaN.
inline Tensor is_inside(const Tensor& x, Dim n) {
  const Tensor end = extent_number(n - Dim(1), x.dtype(), x.place());
  return logical_and(greater_equal(x, scalar_like(x, 0)), less_equal(x, end));
}
// The same as 1 and 0.
inline Tensor inside_flags(const Tensor& x, Dim n) { return cast(is_inside(x, n), x.dtype()); }

// x as an index in [0, n): positions outside go to the nearest end, NaN to 0.
inline Tensor index_of(const Tensor& x, Dim n) {
  const Tensor zero = scalar_like(x, 0), end = extent_number(n - Dim(1), x.dtype(), x.place());
  const Tensor low = where(greater_equal(x, zero), x, zero);
  return cast(where(less_equal(low, end), low, end), DType::kInt64);
}

// 0, step, 2 step, ... as int64 of shape [n, 1].
inline Tensor row_starts(Dim n, Dim step, Place place) {
  if (!n.is_symbolic() && !step.is_symbolic()) {
    return reshape(arange(Scalar(int64_t{0}), Scalar(n.value() * step.value()),
                          Scalar(std::max<int64_t>(step.value(), 1)), DType::kInt64, place),
                   Shape{n, 1});
  }
  const Tensor ones = full(Shape{n, 1}, Scalar(int64_t{1}), DType::kInt64, place);
  return times_extent(cumsum(ones, Scalar(int64_t{0}), false, true, false), step);
}

// Rows between neighbours on each axis.
inline Shape row_strides(const Shape& extents) {
  Shape stride(extents.size(), 1);
  for (size_t a = extents.size(); a-- > 1;) stride[a - 1] = stride[a] * extents[a];
  return stride;
}

// The elements of rows [batch, extents..., channels] (as a matrix of channels per position) at
// integer positions (floating tensors [batch, points], one per axis), zero outside:
// [batch, points, channels].
inline Tensor read_rows(const Tensor& rows, const Shape& extents, const TensorList& at, Dim batch,
                        const Tensor& weight) {
  const Dim points = at[0].shape()[1], channels = rows.shape()[1];
  const Shape stride = row_strides(extents);
  Tensor index = row_starts(batch, stride[0] * extents[0], rows.place());
  Tensor factor = weight;
  for (size_t a = 0; a < extents.size(); ++a) {
    index = index + times_extent(index_of(at[a], extents[a]), stride[a]);
    const Tensor flags = inside_flags(at[a], extents[a]);
    factor = factor.defined() ? factor * flags : flags;
  }
  const Tensor values =
      reshape(gather(rows, reshape(index, Shape{batch * points}), Scalar(int64_t{0})),
              Shape{batch, points, channels});
  return values * reshape(factor, Shape{batch, points, 1});
}

// Linear interpolation between the 2^axes elements around each position.
inline Tensor read_between(const Tensor& rows, const Shape& extents, const TensorList& at,
                           Dim batch) {
  const size_t axes = extents.size();
  TensorList low, part;
  for (const Tensor& x : at) {
    low.push_back(floor(x));
    part.push_back(x - low.back());
  }
  Tensor sum;
  for (size_t corner = 0; corner < (size_t{1} << axes); ++corner) {
    TensorList position;
    Tensor weight;
    for (size_t a = 0; a < axes; ++a) {
      const bool high = ((corner >> a) & 1u) != 0;
      position.push_back(high ? low[a] + Scalar(1.0) : low[a]);
      const Tensor w = high ? part[a] : Scalar(1.0) - part[a];
      weight = weight.defined() ? weight * w : w;
    }
    sum = plus(sum, read_rows(rows, extents, position, batch, weight));
  }
  return sum;
}

}  // namespace paddle::ops

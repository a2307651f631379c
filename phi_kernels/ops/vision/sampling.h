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

// 1 where low <= x <= high, else 0; NaN gives 0.
inline Tensor inside_flags(const Tensor& x, double low, double high) {
  return cast(
      logical_and(greater_equal(x, scalar_like(x, low)), less_equal(x, scalar_like(x, high))),
      x.dtype());
}

// x as an index in [0, n): positions outside go to the nearest end, NaN to 0.
inline Tensor index_of(const Tensor& x, int64_t n) {
  const Tensor zero = scalar_like(x, 0), end = scalar_like(x, static_cast<double>(n - 1));
  const Tensor low = where(greater_equal(x, zero), x, zero);
  return cast(where(less_equal(low, end), low, end), DType::kInt64);
}

// The elements of rows [batch, extents..., channels] (as a matrix of channels per position) at
// integer positions (floating tensors [batch, points], one per axis), zero outside:
// [batch, points, channels].
inline Tensor read_rows(const Tensor& rows, const std::vector<int64_t>& extents,
                        const TensorList& at, int64_t batch, const Tensor& weight) {
  const int64_t points = at[0].shape()[1].value(), channels = rows.shape()[1].value();
  int64_t plane = 1;
  for (const int64_t n : extents) plane *= n;
  Tensor index = reshape(
      arange(Scalar(int64_t{0}), Scalar(batch * plane), Scalar(plane), DType::kInt64, rows.place()),
      Shape{batch, 1});
  Tensor factor = weight;
  int64_t stride = plane;
  for (size_t a = 0; a < extents.size(); ++a) {
    stride /= extents[a];
    index = index + index_of(at[a], extents[a]) * Scalar(stride);
    const Tensor flags = inside_flags(at[a], 0, static_cast<double>(extents[a] - 1));
    factor = factor.defined() ? factor * flags : flags;
  }
  const Tensor values =
      reshape(gather(rows, reshape(index, Shape{batch * points}), Scalar(int64_t{0})),
              Shape{batch, points, channels});
  return values * reshape(factor, Shape{batch, points, 1});
}

// Linear interpolation between the 2^axes elements around each position.
inline Tensor read_between(const Tensor& rows, const std::vector<int64_t>& extents,
                           const TensorList& at, int64_t batch) {
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

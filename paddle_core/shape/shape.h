// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes, strides (in elements) and what shape rules share: element counts, broadcasting, axis
// normalisation, reshape inference. Printed as [2, 3].
#pragma once

#include <iosfwd>
#include <span>

#include "paddle_core/shape/dim.h"

namespace paddle {

using Shape = SmallVector<Dim, 5>;
using Strides = SmallVector<int64_t, 5>;
using Axes = SmallVector<int64_t, 5>;

inline constexpr int kMaxRank = 64;

PADDLE_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

PADDLE_API bool is_static(const Shape& shape);
// Product of the extents; OverflowError above 2^58. A zero extent gives 0 whatever the others are.
PADDLE_API Dim numel_of(const Shape& shape);
PADDLE_API Shape make_shape(std::span<const int64_t> sizes);
// The sizes of a static shape.
PADDLE_API SmallVector<int64_t, 5> sizes_of(const Shape& shape);
PADDLE_API Strides contiguous_strides(const Shape& shape);
PADDLE_API bool is_contiguous(const Shape& shape, const Strides& strides);

// NumPy broadcasting of a and b; ValueError in the name of `op` with argument names and shapes.
PADDLE_API void broadcast_into(const Shape& a, const Shape& b, const char* op, const char* name_a,
                               const char* name_b, Shape& out);
// axis in [-rank, rank) -> [0, rank); IndexError names op and argument. Rank 0 accepts 0 and -1.
PADDLE_API int64_t normalize_axis(int64_t axis, int64_t rank, const char* op,
                                  const char* argument = "axis");
// Sorted, unique, normalised; ValueError on a repeated axis. Empty input: all axes.
PADDLE_API Axes normalize_axes(std::span<const int64_t> axes, int64_t rank, const char* op,
                               const char* argument = "axis");
// Resolves -1 (at most one) and 0 (copies the input's extent, as PaddlePaddle does) in `target`.
PADDLE_API Shape infer_reshape(const Shape& input, const Shape& target, const char* op);
// Strides under which memory of (shape, strides) appears as `target`; false when a copy is needed.
PADDLE_API bool view_strides(const Shape& shape, const Strides& strides, const Shape& target,
                             Strides& out);

}  // namespace paddle

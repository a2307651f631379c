// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bounds of slices, read once for shape rules, views, kernels and gradients: Python's clamping,
// over integers and symbols.
#pragma once

#include <span>

#include "paddle_core/op/infer.h"

namespace paddle {

// Positions start, start + step, ... (count of them) along one axis.
struct Range {
  Dim start, count;
  int64_t step = 1;
};

inline Dim clamp_bound(Dim bound, Dim extent, int64_t step) {
  // What Python's open end is written as: above any extent that is not known.
  constexpr int64_t kOpen = (int64_t{1} << 31) - 1;
  const Dim low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  if (!bound.is_symbolic()) {
    if (extent.is_symbolic() && bound.value() >= kOpen) return high;
    if (extent.is_symbolic() && bound.value() <= -kOpen) return low;
    if (bound.value() == 0 && step > 0) return 0;
  }
  const Dim from_start = decide_lt(bound, 0, false) ? bound + extent : bound;
  return min(max(from_start, low), high);
}

inline Range slice_range(Dim start, Dim end, int64_t step, Dim extent, const char* op) {
  PADDLE_CHECK_VALUE(step != 0, op, ": strides holds 0; a step must not be 0; pass 1 or -1.");
  const Dim first = clamp_bound(start, extent, step), last = clamp_bound(end, extent, step);
  const Dim span = step > 0 ? last - first : first - last;
  const int64_t size = step > 0 ? step : -step;
  Dim count = size == 1 ? span : floordiv(span + (size - 1), size);
  count = max(count, 0);
  return {first, count, step};
}

inline void check_slice_lists(const char* op, size_t axes, size_t starts, size_t ends) {
  PADDLE_CHECK_VALUE(axes == starts && axes == ends, op, ": axes has ", axes,
                     " entries, starts has ", starts, " and ends has ", ends,
                     "; they must have one entry per sliced axis; make them equally long.");
}

// The shape of x[starts:ends:strides] before any axis is dropped. `strides` may be empty (all 1).
// ranges, when given, receives one entry per sliced axis.
inline Shape sliced_shape(const Shape& x, std::span<const Dim> axes, std::span<const Dim> starts,
                          std::span<const Dim> ends, std::span<const Dim> strides, const char* op,
                          SmallVector<Range, 5>* ranges = nullptr) {
  check_slice_lists(op, axes.size(), starts.size(), ends.size());
  PADDLE_CHECK_VALUE(strides.empty() || strides.size() == axes.size(), op, ": strides has ",
                     strides.size(), " entries and axes has ", axes.size(),
                     "; they must have one entry per sliced axis; make them equally long.");
  PADDLE_CHECK_INDEX(!x.empty() || axes.empty(), op, ": x is 0-d and has no axis to cut; ",
                     "reshape it to [1] first.");
  Shape out = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(
        normalize_axis(axes[i].value(), static_cast<int64_t>(x.size()), op, "axes"));
    const int64_t step = strides.empty() ? 1 : strides[i].value();
    const Range range = slice_range(starts[i], ends[i], step, x[axis], op);
    out[axis] = range.count;
    if (ranges) ranges->push_back(range);
  }
  return out;
}

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Geometry that convolution and pooling share: how windows of a kernel with stride, dilation and
// padding lie over an axis. Padding is given as one value per axis (both sides) or as pairs
// [before, after] per axis, or follows from an algorithm: "SAME" (ceil(extent / stride) windows)
// or "VALID" (none); under "SAME" dilation counts as 1.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "paddle_core/base/error.h"
#include "paddle_core/op/slot.h"

namespace paddle {

struct Padding {
  int64_t before = 0, after = 0;
};

// The constants of argument k of a call (Infer, Args or KernelContext); empty when it is a tensor.
template <typename Call>
Shape constant_ints(const Call& c, int k) {
  const Slot& s = c.slot(k);
  return s.kind == SlotKind::kInts ? Shape(s.dims, s.dims + s.count) : Shape();
}

inline bool is_channels_last(std::string_view format) {
  return format.size() > 2 && format.back() == 'C';
}
// Position of spatial axis `a` in an activation, and of its channels.
inline size_t spatial_axis(bool channels_last, size_t a) { return a + (channels_last ? 1 : 2); }
inline size_t channel_axis(bool channels_last, size_t rank) { return channels_last ? rank - 1 : 1; }

// What padding that no extent decides ("EXPLICIT", "VALID") adds to an axis, both sides together.
inline Dim added_extent(std::string_view algorithm, std::span<const Dim> paddings, size_t axis,
                        size_t axes) {
  if (algorithm == "VALID") return 0;
  if (paddings.size() == axes) return paddings[axis] + paddings[axis];
  return paddings[2 * axis] + paddings[2 * axis + 1];
}

inline Padding explicit_padding(std::span<const Dim> paddings, size_t axis, size_t axes) {
  if (paddings.size() == axes) return {paddings[axis].value(), paddings[axis].value()};
  return {paddings[2 * axis].value(), paddings[2 * axis + 1].value()};
}

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

inline Padding same_padding(int64_t extent, int64_t kernel, int64_t stride) {
  const int64_t total =
      std::max<int64_t>((ceil_div(extent, stride) - 1) * stride + kernel - extent, 0);
  return {total / 2, total - total / 2};
}

// Padding of one axis of known extent.
inline Padding resolve_padding(std::string_view algorithm, std::span<const Dim> paddings,
                               size_t axis, size_t axes, int64_t extent, int64_t kernel,
                               int64_t stride) {
  if (algorithm == "SAME") return same_padding(extent, kernel, stride);
  if (algorithm == "VALID") return {};
  return explicit_padding(paddings, axis, axes);
}

// An attribute with one value per spatial axis, each in [least, 2^31).
inline void check_per_axis(const char* op, const char* name, std::span<const Dim> values,
                           size_t axes, int64_t least) {
  PADDLE_CHECK_VALUE(values.size() == axes, op, ": ", name, " has ", values.size(),
                     " values; one per spatial axis is needed, ", axes, ".");
  for (const Dim v : values) {
    PADDLE_CHECK_VALUE(
        decide_le(least, v, true) && decide_le(v, std::numeric_limits<int32_t>::max(), true), op,
        ": ", name, " has value ", Shape(values.begin(), values.end()),
        "; every value must be at least ", least, " and below 2^31.");
  }
}

inline void check_padding(const char* op, std::string_view algorithm, std::span<const Dim> paddings,
                          size_t axes) {
  PADDLE_CHECK_VALUE(algorithm == "EXPLICIT" || algorithm == "SAME" || algorithm == "VALID", op,
                     ": padding_algorithm is '", algorithm,
                     "'; it must be 'EXPLICIT', 'SAME' or 'VALID'.");
  if (algorithm != "EXPLICIT") return;
  const size_t count = paddings.size() == 2 * axes ? 2 * axes : axes;
  check_per_axis(op, "paddings", paddings, count, 0);
}

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walks a contiguous tensor along one axis: body(base, stride) for every lane, where element j of
// the lane stands at base + j * stride. Used by kernels that work on one axis.
#pragma once

#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/kernel.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {

struct Lanes {
  int64_t outer = 1, length = 1, inner = 1;
  int64_t count() const { return outer * inner; }
  int64_t base(int64_t lane) const {
    return inner == 1 ? lane * length : lane / inner * length * inner + lane % inner;
  }
};

// A 0-d tensor is one lane of length 1.
inline Lanes lanes_of(const Shape& shape, int64_t axis) {
  Lanes l;
  if (shape.empty()) return l;
  const size_t at =
      static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t n = shape[i].value();
    (i < at ? l.outer : i == at ? l.length : l.inner) *= n;
  }
  return l;
}

// body(begin, end) over ranges of lanes worth about 16k elements.
template <typename Body>
void parallel_lanes(const Lanes& l, Body&& body) {
  if (l.length == 0) return;
  parallel_for(0, l.count(), std::max<int64_t>(1, 16384 / l.length), std::forward<Body>(body));
}

// A lane as a row of RowType, copied only when it is strided or 16 bits wide.
template <typename T>
const RowType<T>* load_lane(const T* x, const Lanes& l, int64_t base,
                            std::vector<RowType<T>>& buffer) {
  if (l.inner == 1) return load_row(x + base, l.length, buffer);
  buffer.resize(static_cast<size_t>(l.length));
  for (int64_t j = 0; j < l.length; ++j) {
    buffer[static_cast<size_t>(j)] = static_cast<RowType<T>>(x[base + j * l.inner]);
  }
  return buffer.data();
}
template <typename T>
RowType<T>* begin_lane(T* out, const Lanes& l, int64_t base, std::vector<RowType<T>>& buffer) {
  if (l.inner == 1) return begin_row(out + base, l.length, buffer);
  buffer.resize(static_cast<size_t>(l.length));
  return buffer.data();
}
template <typename T>
void store_lane(const RowType<T>* row, T* out, const Lanes& l, int64_t base) {
  if (l.inner == 1) {
    store_row(row, out + base, l.length);
    return;
  }
  for (int64_t j = 0; j < l.length; ++j) out[base + j * l.inner] = T(row[j]);
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading index tensors: every index is checked before a kernel touches any memory.
#pragma once

#include <memory>

#include "paddle_core/op/op_def.h"

namespace paddle::cpu {

inline int64_t index_at(const TensorImpl& t, int64_t i) {
  return t.dtype == DType::kInt32 ? static_cast<const int32_t*>(t.data())[i]
                                  : static_cast<const int64_t*>(t.data())[i];
}

// Of n indices: those below 0 counted from the end, in out; false if one is outside [-extent,
// extent).
template <typename Index>
bool wrap_indices(const Index* from, int64_t n, int64_t extent, int64_t* out) {
  int64_t outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = from[i], wrapped = v + (v < 0 ? extent : 0);
    outside += static_cast<uint64_t>(wrapped) >= static_cast<uint64_t>(extent);
    out[i] = wrapped;
  }
  return outside == 0;
}

// All indices of t in [0, extent); negative ones count from the end. IndexError otherwise.
inline std::unique_ptr<int64_t[]> read_indices(const TensorImpl& t, int64_t extent, const char* op,
                                               const char* name, int64_t axis) {
  std::unique_ptr<int64_t[]> out(new int64_t[static_cast<size_t>(t.numel)]);
  if (t.numel == 0) return out;
  const bool valid =
      t.dtype == DType::kInt32
          ? wrap_indices(static_cast<const int32_t*>(t.data()), t.numel, extent, out.get())
          : wrap_indices(static_cast<const int64_t*>(t.data()), t.numel, extent, out.get());
  for (int64_t i = 0; !valid && i < t.numel; ++i) {
    const int64_t v = index_at(t, i);
    PADDLE_CHECK_INDEX(v >= -extent && v < extent, op, ": ", name, " holds ", v, " but axis ", axis,
                       " of x has extent ", extent, "; indices must be in [", -extent, ", ", extent,
                       ").");
  }
  return out;
}

}  // namespace paddle::cpu

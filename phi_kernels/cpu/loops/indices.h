// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading index tensors: every index is checked before a kernel touches any memory.
#pragma once

#include <memory>
#include <utility>

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

// Whether none of n indices is below 0 or beyond the extent.
inline bool all_inside(const int64_t* index, int64_t n, int64_t extent) {
  const auto most = static_cast<uint64_t>(extent - 1);
  uint64_t signs = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<uint64_t>(index[i]);
    signs |= v | (most - v);
  }
  return static_cast<int64_t>(signs) >= 0;
}

// Checked indices: those of a tensor, or a copy of them.
class IndexList {
 public:
  explicit IndexList(const int64_t* lent) : at_(lent) {}
  explicit IndexList(std::unique_ptr<int64_t[]> own) : at_(own.get()), own_(std::move(own)) {}
  const int64_t* get() const { return at_; }
  int64_t operator[](size_t i) const { return at_[i]; }

 private:
  const int64_t* at_;
  std::unique_ptr<int64_t[]> own_;
};

// All indices of t in [0, extent); negative ones count from the end. IndexError otherwise. They
// stay while `out` is written, even if it is t.
inline IndexList read_indices(const TensorImpl& t, int64_t extent, const char* op, const char* name,
                              int64_t axis, const TensorImpl& out_of_call) {
  if (t.dtype == DType::kInt64 && t.numel != 0 && t.storage != out_of_call.storage) {
    const auto* const own = static_cast<const int64_t*>(t.data());
    if (all_inside(own, t.numel, extent)) return IndexList(own);
  }
  std::unique_ptr<int64_t[]> out(new int64_t[static_cast<size_t>(t.numel)]);
  if (t.numel == 0) return IndexList(std::move(out));
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
  return IndexList(std::move(out));
}

}  // namespace paddle::cpu

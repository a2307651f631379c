// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side of the extension ABI: the table of functions that libraries call, and the
// conversions between its plain values and the core's.
#pragma once

#include <deque>
#include <vector>

#include "paddle_core/extension/include/paddle/extension/abi.h"
#include "paddle_core/op/op_def.h"

namespace paddle::extension {

PADDLE_API const PaddleHost& host_table();

inline PaddlePlace raw_of(Place place) {
  return {static_cast<int32_t>(place.kind) | place.custom_type << 8, place.index};
}
inline PaddleTensor raw_of(TensorImpl* t) { return reinterpret_cast<PaddleTensor>(t); }
inline TensorImpl* impl_of(PaddleTensor t) { return reinterpret_cast<TensorImpl*>(t); }
inline Tensor share(PaddleTensor t) { return Tensor(IntrusivePtr<TensorImpl>::share(impl_of(t))); }

// The error that a function of a library reported on this thread, with `where` in front.
[[noreturn]] void throw_reported(int kind, const char* where);

// Slots as plain values; owns the arrays that they point to.
class Values {
 public:
  PaddleValue of(const Slot& slot);

 private:
  std::deque<std::vector<PaddleTensor>> tensors_;
  std::deque<std::vector<int64_t>> ints_;
};

}  // namespace paddle::extension

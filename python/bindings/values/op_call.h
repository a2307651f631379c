// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of operators by name, for the bindings' own use; large ones release the GIL.
#pragma once

#include <algorithm>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"
#include "python/bindings/base/reference.h"

namespace paddle::bindings {

// NotImplementedError when paddle has no such operator.
const OpDef& op_named(const char* name);
bool has_op(const char* name);

// Elements that an operator call reads, about; above kGilReleaseElements the GIL is released
// around it.
inline constexpr int64_t kGilReleaseElements = 64 * 1024;
inline int64_t traffic(const OpDef& op, const Slot* slots) {
  int64_t elements = 0;
  for (int i = 0; i < op.num_args; ++i) {
    const Slot& s = slots[i];
    if (s.kind == SlotKind::kTensor) {
      elements += s.tensor->numel;
    } else if (s.kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < s.count; ++k) {
        if (s.list[k].defined()) elements += s.list[k].numel();
      }
    } else if (s.kind == SlotKind::kInts && op.num_tensor_args == 0) {
      int64_t n = 1;
      for (uint32_t k = 0; k < s.count && n < kGilReleaseElements; ++k) {
        if (!s.dims[k].is_symbolic()) n *= std::clamp<int64_t>(s.dims[k].value(), 0, 1 << 20);
      }
      elements += n;
    }
  }
  return elements;
}
inline void run_op(const OpDef& op, const Slot* slots, Outputs& outs) {
  if (traffic(op, slots) > kGilReleaseElements) [[unlikely]] {
    GilRelease released;
    call(op, slots, outs);
  } else {
    call(op, slots, outs);
  }
}

class OpCall {
 public:
  explicit OpCall(const char* name);
  // The argument at a position, or by its schema name; an absent name is ignored when `optional`.
  OpCall& at(size_t i, Slot s) {
    slots_[i] = s;
    return *this;
  }
  OpCall& set(const char* name, Slot s, bool optional = false);
  Tensor run();
  Outputs run_all();
  Tensor run_inplace();

 private:
  const OpDef& op_;
  SmallVector<Slot, 8> slots_;
};

Tensor cast_to(const Tensor& t, DType dtype);
// The tensor at another place, through which gradients flow; itself when it is there.
Tensor moved_to(const Tensor& t, Place place);

}  // namespace paddle::bindings

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Results in the memory of arguments.
#include "paddle_core/dispatch/execute/resolved_call.h"

#include <algorithm>

#include "paddle_core/dispatch/execute/kernel_call.h"

namespace paddle {
namespace {

// The argument; -1: none. That kernels of elementwise operators may write over their first argument
// is what in-place calls rely on as well, and over either of two that broadcast. Partial writes go
// to their first argument.
int argument_to_take(const OpDef& op, const Kernel& kernel, const Slot* args, const Tensor& out,
                     uint32_t donated) {
  const bool part = op.has(kPartialWrite);
  if ((!op.has(kElementwise) && !part) || op.num_results != 1 || op.random_count_fn) return -1;
  if (!out.defined()) return -1;
  const int last = op.has(kBroadcast) && !part ? op.num_tensor_args : 1;
  // What is not contiguous and cannot be read as it is would be copied first.
  const auto direct = [&](const Slot& s) {
    return s.kind != SlotKind::kTensor || s.tensor->contiguous || kernel.strided;
  };
  if (!std::all_of(args, args + op.num_args, direct)) return -1;
  for (int i = 0; i < last; ++i) {
    if (!((donated >> i) & 1u) || args[i].kind != SlotKind::kTensor) continue;
    const TensorImpl& t = *args[i].tensor;
    if (t.dtype != out.dtype() || !(t.shape == out.shape()) || !(t.contiguous || part)) continue;
    // Work of other streams may still read what is theirs.
    if (!t.place.is_host() && !t.storage->belongs_to(current_stream(t.place))) continue;
    const auto overlaps = [&](const Slot& s) {
      const auto shared = [&](const TensorImpl& other) { return other.storage == t.storage; };
      if (s.kind == SlotKind::kTensor) return shared(*s.tensor);
      return s.kind == SlotKind::kTensorList &&
             std::any_of(s.list, s.list + s.count,
                         [&](const Tensor& e) { return e.defined() && shared(*e.impl()); });
    };
    if (!part || std::none_of(args + 1, args + op.num_args, overlaps)) return i;
  }
  return -1;
}

}  // namespace

bool take_argument(const OpDef& op, const Kernel& kernel, const Slot* args, const Tensor& out,
                   uint32_t donated) {
  const int i = argument_to_take(op, kernel, args, out, donated);
  if (i < 0) return false;
  TensorImpl& impl = *out.impl();
  impl.place = args[i].tensor->place;
  impl.set_contiguous_layout();
  impl.strides = args[i].tensor->strides;
  impl.contiguous = args[i].tensor->contiguous;
  impl.storage = args[i].tensor->storage;
  impl.offset = args[i].tensor->offset;
  impl.storage->bump_version();
  return true;
}

void run_resolved_on_device(const OpDef& op, const Kernel& kernel, const Slot* args, Tensor* outs,
                            Place place) {
  PhiloxState random;
  if (op.random_count_fn) random = draw_for(op, args, outs, place);
  launch(op, kernel, args, outs, place, random);
}

}  // namespace paddle

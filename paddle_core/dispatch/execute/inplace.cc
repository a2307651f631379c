// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// In-place writes: straight into memory when nothing but memory is concerned, else through the
// history and capture rules that autograd installs.

#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/execute/kernel_call.h"

namespace paddle {
namespace {

InplaceWriteFn inplace_write = nullptr;
InplaceRebindFn inplace_rebind = nullptr;
AliasFn alias_with_history = nullptr;

uint32_t modes_of(const OpDef& op, const Slot* args) {
  uint32_t keys = thread_modes.on | process_modes.load(std::memory_order_relaxed);
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) keys |= args[i].tensor->keys;
  }
  return keys & thread_modes.allowed;
}

// An elementwise operator may write over its first input when no other input overlaps it and all
// of them already have the result's dtype.
bool can_write_over(const OpDef& op, const Slot* args, const Tensor& target) {
  if (!op.has(kElementwise) || !target.is_contiguous() || op.is_view()) return false;
  const Kernel& kernel = op.kernels.at(target.place(), target.dtype());
  if (!kernel.fn || op.random_count_fn || op.num_results != 1 || op.kernel_dtype_arg > 0)
    return false;
  for (int i = 1; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensorList) return false;
    if (args[i].kind != SlotKind::kTensor) continue;
    const TensorImpl& t = *args[i].tensor;
    if (!op.schema().args[static_cast<size_t>(i)].is_tensor()) return false;
    if (t.dtype != target.dtype() || (!t.contiguous && !kernel.strided)) return false;
    if (t.storage == target->storage && &t != target.impl()) return false;
    if (!(t.place == target.place())) return false;
  }
  return true;
}

// A partial write may go to the target when no other input lies in its memory. A kernel that takes
// strides writes through those of the target; for others, dense copies of inputs that have strides
// are gathered in `slots` and `held`.
bool can_write_part(const OpDef& op, const Tensor& target, SmallVector<Slot, 8>& slots,
                    TensorList& held) {
  if (!op.has(kPartialWrite) || !target.has_storage()) return false;
  const Kernel& kernel = op.kernels.at(target.place(), target.dtype());
  if (!kernel.fn || (!target.is_contiguous() && !kernel.strided)) return false;
  const auto is_disjoint = [&](const TensorImpl& t) {
    return t.storage && t.storage != target->storage && t.place == target.place();
  };
  for (size_t i = 1; i < slots.size(); ++i) {
    if (slots[i].kind == SlotKind::kTensorList) {
      for (int64_t k = 0; k < slots[i].count; ++k) {
        if (!slots[i].list[k].defined() || !is_disjoint(*slots[i].list[k].impl())) return false;
      }
    }
    if (slots[i].kind != SlotKind::kTensor) continue;
    if (!op.schema().args[i].is_tensor() || !is_disjoint(*slots[i].tensor)) return false;
    if (slots[i].tensor->contiguous || kernel.strided) continue;
    const Tensor strided(IntrusivePtr<TensorImpl>::share(slots[i].tensor));
    held.push_back(strided.contiguous_copy_if_needed());
    slots[i] = Slot::of(held.back());
  }
  return true;
}

bool overlaps(const TensorImpl& a, const TensorImpl& b) {
  return &a == &b || (a.storage && a.storage == b.storage);
}

// Whether the gradient rule reads the argument after the write has replaced its values. A captured
// program keeps both, and so does a segment of what has no memory yet.
bool reads_old_values(const OpDef& op, int arg, const Tensor& t) {
  if (capture_sink() && !(deferred_sink() && t.has_storage())) return false;
  return !op.vjp_fn || ((op.saved_inputs >> arg) & 1u);
}

void check_result(const OpDef& op, const Tensor& target, const Shape& shape) {
  PADDLE_CHECK_VALUE(shape == target.shape(), op.name(), "_: the result has shape ", shape,
                     " but the tensor written in place has shape ", target.shape(),
                     "; they must be equal. Use the form without underscore.");
}

// Lets the kernel write the result into the target; false when its dtype would be another.
bool run_into(const OpDef& op, const Slot* args, const Tensor& target) {
  Outputs outs;
  infer_meta(op, args, outs);
  check_result(op, target, outs[0].shape());
  if (outs[0].dtype() != target.dtype()) return false;
  outs[0] = target;
  launch(op, op.kernels.at(target.place(), target.dtype()), args, outs.data(), target.place(),
         PhiloxState());
  target->storage->bump_version();
  return true;
}

// Gives the target another shape, dtype or memory, which counts as one write in place.
void rebind(const Tensor& target, const Tensor& value, const OpDef* view, const Slot* args,
            const char* op_name) {
  const uint32_t writes = target.has_storage() ? target->storage->inplace_version() : 0;
  const bool same = target.has_storage() && target->storage == value->storage;
  const bool fresh = value.has_storage() && value->storage->use_count() == 1;
  inplace_rebind(target, value, view, args, op_name);
  if (same) {
    target->storage->note_inplace_write();
  } else if (fresh) {
    target->storage->count_writes_from(writes + 1);
  }
}

// A deferred value becomes that of the target: no other tensor may hold it.
void write(const Tensor& target, const Tensor& value, const char* op_name) {
  Tensor source = value;
  if (source.dtype() != target.dtype()) source = core_ops().cast(source, target.dtype());
  if (!(source.shape() == target.shape())) source = core_ops().expand(source, target.shape());
  PADDLE_CHECK_VALUE(
      target->sharded || !source->sharded, op_name,
      ": a plain tensor can't be written with a distributed one; unshard it first, or "
      "place the tensor that is written with shard_tensor.");
  const DistAttr* const attr = dist_attr_of(target);
  if (attr && dist_attr_of(source) != attr) source = core_ops().reshard(source, attr);
  const bool history = grad_enabled() && (!target->stop_gradient || !source->stop_gradient ||
                                          (target->keys & kModeView));
  if (history || capture_sink() != nullptr) {
    PADDLE_ASSERT(inplace_write != nullptr);
    inplace_write(target, source, op_name);
    return;
  }
  target.copy_data_from(source);
}

}  // namespace

void set_inplace_write(InplaceWriteFn fn) { inplace_write = fn; }

void set_inplace_rebind(InplaceRebindFn fn) { inplace_rebind = fn; }

void set_alias_with_history(AliasFn fn) { alias_with_history = fn; }

Tensor call_inplace(const OpDef& op, const Slot* args) {
  PADDLE_CHECK_TYPE(args[0].kind == SlotKind::kTensor, op.name(),
                    "_: the first argument must be a Tensor.");
  const Tensor target(IntrusivePtr<TensorImpl>::share(args[0].tensor));
  const uint32_t modes = modes_of(op, args);
  SmallVector<Slot, 8> slots(args, args + op.num_args);
  TensorList sources;
  if ((modes & ~uint32_t{kModeView}) == 0 &&
      (can_write_over(op, args, target) || can_write_part(op, target, slots, sources)) &&
      run_into(op, slots.data(), target)) {
    return target;
  }
  // The recorded call must not hold the tensor that is about to take over its history.
  if (modes & kModeAutograd) {
    for (int i = 0; i < op.num_args; ++i) {
      if (slots[i].kind != SlotKind::kTensor || !overlaps(*slots[i].tensor, *target.impl()))
        continue;
      const Tensor t(IntrusivePtr<TensorImpl>::share(slots[i].tensor));
      sources.push_back(alias_with_history(t, reads_old_values(op, i, t)));
      slots[i] = Slot::of(sources.back());
    }
  }
  Outputs outs;
  call(op, slots.data(), outs);
  const Tensor& result = outs[0];
  if (!op.is_view()) check_result(op, target, result.shape());
  // Under AMP, and for a view of another tensor, the dtype stays.
  const bool retyped = result.dtype() != target.dtype() && !(target->keys & kModeView) &&
                       !(thread_modes.on & kModeAmp);
  if (op.is_view() || retyped) {
    rebind(target, result, op.is_view() ? &op : nullptr, args, op.name());
  } else {
    write(target, result, op.name());
  }
  return target;
}

void rebind_inplace(const Tensor& target, const Tensor& value, const char* op_name) {
  rebind(target, value, nullptr, nullptr, op_name);
}

void assign_inplace(const Tensor& target, const Tensor& value, const char* op_name) {
  DeferredSink* sink = deferred_sink();
  const bool whole = sink && !(target->keys & kModeView);
  write(target, whole ? sink->without_alias(value, value) : value, op_name);
}

}  // namespace paddle

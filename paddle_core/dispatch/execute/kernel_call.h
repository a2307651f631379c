// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Choosing a kernel, allocating its results, running it: what eager calls on the host, on devices
// and in place share. Private to dispatch/.
#pragma once

#include "paddle_core/dispatch/arguments/pack.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/execute/draw.h"

namespace paddle {

inline const Kernel* select_kernel(const OpDef& op, const Slot* args, const Outputs& outs,
                                   Place place, DType& dtype) {
  if (op.kernel_dtype_arg >= 0) {
    const Slot& slot = args[op.kernel_dtype_arg];
    dtype = slot.kind == SlotKind::kTensor                         ? slot.tensor->dtype
            : slot.kind == SlotKind::kTensorList && slot.count > 0 ? slot.list[0].dtype()
                                                                   : DType::kUndefined;
  } else {
    dtype = outs.empty() || !outs[0].defined() ? DType::kUndefined : outs[0].dtype();
  }
  const Kernel& kernel = op.kernels.at(place, dtype);
  return kernel.fn ? &kernel : nullptr;
}

inline void allocate(Outputs& outs, Place place) {
  for (Tensor& t : outs) {
    if (!t.defined()) continue;
    TensorImpl& impl = *t.impl();
    impl.place = place;
    impl.set_contiguous_layout();
    impl.storage = Storage::allocate(static_cast<size_t>(impl.numel) * size_of(impl.dtype), place);
  }
}

[[noreturn, gnu::noinline]] void throw_no_values(const OpDef& op);
// Raises when an argument whose values are read has none.
[[gnu::noinline]] void require_values(const OpDef& op, const Slot* args);

// Runs the kernel on the thread's current stream of `place`.
[[gnu::noinline]] void launch(const OpDef& op, const Kernel& kernel, const Slot* args, Tensor* outs,
                              Place place, PhiloxState random);

// Gives a kernel that takes no strides dense arguments, and random operators their state.
inline void run_kernel(const OpDef& op, const Kernel& kernel, const Slot* args, Outputs& outs,
                       const TensorFacts& facts, Place place) {
  PhiloxState random;
  if (op.random_count_fn) random = draw_for(op, args, outs.data(), place);
  if (facts.no_values) [[unlikely]]
    require_values(op, args);
  if (facts.strided && !kernel.strided) [[unlikely]] {
    const Patched patched = map_tensors(op, args, [&](int i, const Tensor& t) {
      return op.reads_shape_only(i) ? t : t.contiguous_copy_if_needed();
    });
    return launch(op, kernel, patched.data(), outs.data(), place, random);
  }
  if (!place.is_host()) [[unlikely]]
    return launch(op, kernel, args, outs.data(), place, random);
  KernelContext context(op, args, outs.data(), random, kernel.user);
  kernel.fn(context);
}

// The view that the record describes; false when the memory cannot be viewed that way.
bool try_view(const OpDef& op, const Slot* args, Outputs& outs);

}  // namespace paddle

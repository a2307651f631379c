// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls whose shapes, dtypes, strides and place came before: what execute() finds out is known
// then, and only the kernel is left.
#pragma once

#include "paddle_core/dispatch/execute/draw.h"
#include "paddle_core/op/op_def.h"

namespace paddle {

// The kernel that execute() runs at `place` for dense arguments and results without private order
// when it needs neither the values of tensors nor a layer; null when there is none.
inline const Kernel* resolved_kernel(const OpDef& op, DType dtype, Place place) {
  const uint32_t depends = kDynamicOutput | kAnyPlace | kSideEffect;
  const bool may_order = op.format_arg >= 0 && op.layout_results != 0;  // channels last
  if (op.has(depends) || op.is_native_inplace() || may_order) return nullptr;
  const Kernel& kernel = op.kernels.at(place, dtype);
  return kernel.fn ? &kernel : nullptr;
}

// Gives the only result, which has shape and dtype but no memory, that of a donated argument over
// which the kernel may write; false when there is none, or none that the work of the thread's
// current stream alone uses. `donated`: as in execute().
bool take_argument(const OpDef& op, const Kernel& kernel, const Slot* args, const Tensor& out,
                   uint32_t donated);

// On the thread's current stream of a device.
void run_resolved_on_device(const OpDef& op, const Kernel& kernel, const Slot* args, Tensor* outs,
                            Place place);

// `outs` are allocated; arguments are dense where the kernel takes no strides.
inline void run_resolved(const OpDef& op, const Kernel& kernel, const Slot* args, Tensor* outs,
                         Place place) {
  if (!place.is_host()) [[unlikely]]
    return run_resolved_on_device(op, kernel, args, outs, place);
  PhiloxState random;
  if (op.random_count_fn) random = draw_for(op, args, outs, Place());
  KernelContext context(op, args, outs, random, kernel.user);
  kernel.fn(context);
}

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Launching kernels, and what is refused before.
#include "paddle_core/dispatch/execute/kernel_call.h"

namespace paddle {

void throw_no_values(const OpDef& op) {
  throw_error(
      ErrorKind::kRuntime,
      str(op.name(),
          ": an argument has shape and dtype but no values. It was read by a gradient rule that "
          "does not declare it in saves(), or it belongs to a program whose capture has ended."));
}

void require_values(const OpDef& op, const Slot* args) {
  for (int i = 0; i < op.num_args; ++i) {
    if ((op.shape_only >> i) & 1u) continue;
    if (args[i].kind == SlotKind::kTensor && !args[i].tensor->storage) throw_no_values(op);
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined() && !args[i].list[k].has_storage()) throw_no_values(op);
    }
  }
}

void launch(const OpDef& op, const Kernel& kernel, const Slot* args, Tensor* outs, Place place,
            PhiloxState random) {
  if (place.is_host()) {
    KernelContext context(op, args, outs, random, kernel.user);
    return kernel.fn(context);
  }
  Stream& stream = current_stream(place);
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    if (t.storage) t.storage->record_stream(stream);
  });
  const DeviceContext device(device_of(place), stream);
  KernelContext context(op, args, outs, random, kernel.user, &device);
  kernel.fn(context);
}

}  // namespace paddle

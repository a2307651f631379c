// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls on devices other than the host, and which place a call has. Private to dispatch/.
#pragma once

#include "paddle_core/dispatch/arguments/pack.h"
#include "paddle_core/dispatch/call.h"

namespace paddle {

// The one place of a call: its Place argument (the tensors beside it are read for their shapes
// alone), else that of its tensors, else default_place().
// Tensors without axes in host memory go with tensors of any device, as do tensors of one element
// with those that a native in-place operator writes. ValueError, which names the
// arguments, when tensors are on different devices.
Place call_place(const OpDef& op, const Slot* args, const TensorFacts& facts);

bool all_at(const OpDef& op, const Slot* args, Place place);
// The arguments with numbers of the host copied to the device.
Patched on_one_device(const OpDef& op, const Slot* args, Place place);

// Infer, allocate, select the kernel, run; see fallback.h for operators without one.
// `donated`: as in execute().
void run_on_device(const OpDef& op, const Slot* args, Outputs& outs, Place place,
                   uint32_t donated = 0);

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Channels-last memory under tensors of shape [N, C, spatial...] (kModeLayout). Convolutions run at
// twice the rate on it, so they return it, and operators that do not care keep it: elementwise ones
// with operands of equal rank, reductions, and those whose record names the activations that follow
// data_format (OpDef::follows_layout). They are called with the axes in memory order. For every
// other operator the memory is put into logical order first; the difference is not visible
// elsewhere.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

// True when an argument is in private order.
PADDLE_API bool has_private_layout(const OpDef& op, const Slot* args);
// execute() for such arguments.
PADDLE_API void execute_in_layout(const OpDef& op, const Slot* args, Outputs& outs,
                                  uint32_t donated = 0);
// The same where no argument that the record wants as a constant is a tensor.
void execute_resolved_in_layout(const OpDef& op, const Slot* args, Outputs& outs, uint32_t donated);
// Makes a new tensor [N, spatial..., C], contiguous, into [N, C, spatial...] in private order.
PADDLE_API void become_channels_first(TensorImpl& t);

}  // namespace paddle

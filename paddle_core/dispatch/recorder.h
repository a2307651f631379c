// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The short way of a call that nothing but autograd wants to see: it runs, then what autograd
// installed here gives its results their history. Every other recorded call goes through autograd's
// layer (dispatch/call.h).
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

using RecordFn = void (*)(const OpDef& op, const Slot* args, Outputs& outs);
PADDLE_API void set_recorder(RecordFn fn);
PADDLE_API RecordFn recorder();

// Raises what the operator's shape rule refuses: a decomposition that takes the place of a call
// relies on it. Captures apply the rule themselves; where shapes follow from the values of tensors
// nothing is checked.
PADDLE_API void check_arguments(const OpDef& op, const Slot* args);

}  // namespace paddle

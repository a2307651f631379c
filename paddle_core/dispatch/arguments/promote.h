// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Type promotion: operators with kPromote get their tensors in one dtype.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

// Calls the operator with its tensors cast to their common dtype.
[[gnu::noinline]] void call_promoted(const OpDef& op, const Slot* args, Outputs& outs);

}  // namespace paddle

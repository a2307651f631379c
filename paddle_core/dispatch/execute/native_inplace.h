// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that write their arguments by definition (adamw_, ...). Private to dispatch/.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

void execute_native_inplace(const OpDef& op, const Slot* args, Outputs& outs);

}  // namespace paddle

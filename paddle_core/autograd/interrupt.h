// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C during long work in C++: what may go on for long asks here between its steps.
#pragma once

#include "paddle_core/base/export.h"

namespace paddle::autograd {

// Calls the function of set_interrupt_check, with no lock held; may throw kInterrupt.
PADDLE_API void check_interrupt();

}  // namespace paddle::autograd

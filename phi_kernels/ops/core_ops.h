// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gives the core the operators that it needs itself: see dispatch/core_ops.h.
#pragma once

#include "paddle_core/base/export.h"

namespace paddle::ops {

// After register_all_ops().
PADDLE_API void install_core_ops();

}  // namespace paddle::ops

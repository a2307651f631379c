// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls for which the device has no kernel: the decomposition takes its place, and where an
// operator has none, copies to the host do. Private to dispatch/.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

// Silent when the device has no kernel of the operator at all; one warning when it has one for
// other dtypes, and when the call goes through the host; NotImplementedError instead of either
// under FLAGS_forbid_fallback.
void run_without_kernel(const OpDef& op, const Slot* args, Outputs& outs, DType dtype, Place place);

}  // namespace paddle

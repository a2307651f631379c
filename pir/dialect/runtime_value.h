// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Results of operators whose axis, or number of classes, is a value that only a run of the program
// tells: their rank and dtype are those of any such value, their extents are unknown.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle::pir {

// Whether the argument that decides the shapes of the results has no value yet.
PADDLE_API bool decided_at_run_time(const OpDef& op, const Slot* args);
// infer_meta, also for such calls.
PADDLE_API void infer_results(const OpDef& op, const Slot* args, Outputs& outs);

}  // namespace paddle::pir

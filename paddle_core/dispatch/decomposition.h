// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running decompositions: where a device has no kernel, and everywhere under FLAGS_force_decompose.
// A decomposition that comes to call its own operator again, by whatever way, is a RuntimeError.
// While decompositions are forced, which operators each of them called is kept, and gives ranks.
#pragma once

#include <vector>

#include "paddle_core/dispatch/call.h"

namespace paddle {

// Results are memory of their own, as those of a kernel are. Constants are made at `place`.
void run_decomposition(const OpDef& op, const Slot* args, Outputs& outs, Place place);
// The decomposition of a native in-place operator gives the next values; they are written when all
// of them are computed.
void run_inplace_decomposition(const OpDef& op, const Slot* args, Outputs& outs, Place place);

// What FLAGS_force_decompose says, for all threads.
PADDLE_API void force_decompositions(bool on);
PADDLE_API bool decompositions_are_forced();
// Under forced decomposition: notes the call and, where the operator has a kernel and a
// decomposition, runs the latter. Numbers are given as numbers, not as tensors. False: the call
// goes the usual way.
bool run_forced(const OpDef& op, const Slot* args, Outputs& outs);

// The operators that the decomposition of `op` was seen to call while decompositions were forced.
PADDLE_API std::vector<const OpDef*> seen_calls(const OpDef& op);
// 0 for primitive and opaque operators, for composed ones 1 + the highest rank among seen_calls;
// -1 while none was seen. RuntimeError that lists the operators of a cycle.
PADDLE_API int rank_of(const OpDef& op);

}  // namespace paddle

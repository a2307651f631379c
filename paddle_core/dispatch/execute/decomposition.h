// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running decompositions: where a device has no kernel, and everywhere under FLAGS_force_decompose.
// A call that does not go down in rank is a RuntimeError that names both operators and the way, the
// cycle where there is one. While decompositions are forced every call is held against the ranks,
// and which operators each of them called is kept; else those that run decompositions.
#pragma once

#include <string>
#include <vector>

#include "paddle_core/dispatch/call.h"

namespace paddle {

// What the decomposition of `op` gives; the way in which every decomposition is run.
PADDLE_API TensorList decomposed(const OpDef& op, const Slot* args);
// Results are memory of their own, as those of a kernel are. Constants are made at `place`.
PADDLE_API void run_decomposition(const OpDef& op, const Slot* args, Outputs& outs, Place place);
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

// Of a call by `caller` that does not go down in rank. `way`: "a -> b -> a".
[[noreturn]] PADDLE_API void throw_rank(const OpDef& caller, const OpDef& op,
                                        const std::string& way);
// The operators that the decomposition of `op` was seen to call.
PADDLE_API std::vector<const OpDef*> seen_calls(const OpDef& op);

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eager calls of composed operators as groups of one operation.
#pragma once

#include "paddle_core/dispatch/compile_hook.h"

namespace paddle::cinn {

// One call of an operator becomes a group when it comes a second time with equal attributes,
// dtypes, ranks and the same extents equal to each other; the group takes over as others do, by the
// number of the call. Lives as long as the process; thread-safe.
CompileHook& eager_calls();

}  // namespace paddle::cinn

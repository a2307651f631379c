// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What watches executed operators: the profiler's spans and the check for NaN and infinity.
// Both are switched on for all threads.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

// Records a span per operator while a profile is being taken.
PADDLE_API void watch_operators(bool on);
// RuntimeError that names the operator, the result and the first bad position.
PADDLE_API void check_nan_inf(bool on);

}  // namespace paddle

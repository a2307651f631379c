// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks of deferred execution (dispatch/deferred.h) in places below it: reading memory of a tensor
// that has none yet, and a second tensor over such memory.
#pragma once

#include "paddle_core/tensor/tensor.h"

namespace paddle {

// Called before an error about missing values; may give `t` its values.
using MissingValuesFn = void (*)(const Tensor& t, const char* what);
PADDLE_API void set_missing_values(MissingValuesFn fn);
PADDLE_API void require_values(const Tensor& t, const char* what);

// Called with each tensor detached from one that a recording knows.
using DetachedFn = void (*)(const Tensor& copy, const Tensor& source);
PADDLE_API void set_detached(DetachedFn fn);
// The same for captures, whose programs have values in the place of memory.
PADDLE_API void set_detached_in_capture(DetachedFn fn);

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Deferred calls and Python: every reader of memory of a tensor asks for its values first; the GIL
// is free while they are computed.
#pragma once

#include "paddle_core/dispatch/deferred.h"
#include "python/bindings/base/reference.h"

namespace paddle::bindings {

inline void materialize_values(const Tensor& t, const char* why) {
  if (!capture_sink()) [[likely]]
    return;
  if (DeferredSink* sink = deferred_sink(); sink && sink->is_pending(t)) {
    const GilRelease released;
    sink->materialize(why);
  }
}

// True while a program is being captured, in which tensors have no values at all.
inline bool capturing() { return capture_sink() != nullptr && deferred_sink() == nullptr; }

}  // namespace paddle::bindings

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The reductions of collectives, element by element and in the order of the parts.
#pragma once

#include "paddle_core/comm/process_group.h"

namespace paddle::distributed {

// Whether the dtype has the reduction; RuntimeError in the name of `what` where it has not.
PADDLE_API void check_reduction(const char* what, DType dtype, ReduceKind kind);

// out[i] = ((parts[0][i] + parts[1][i]) + ...); of 16-bit floats in float32, rounded once. `out`
// may be one of the parts.
PADDLE_API void reduce_in_order(const void* const* parts, size_t num_parts, void* out,
                                int64_t count, DType dtype, ReduceKind kind);

}  // namespace paddle::distributed

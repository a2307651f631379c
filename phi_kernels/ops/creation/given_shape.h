// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The shape argument of operators that make tensors.
#pragma once

#include "paddle_core/op/infer.h"

namespace paddle::ops {

// Argument k of the call; ValueError when an extent is negative.
inline Shape given_shape(Infer& c, int k) {
  const Shape shape = c.ints(k);
  for (const Dim& d : shape) {
    PADDLE_CHECK_VALUE(decide_le(Dim(0), d, true), c.op_name(), ": shape has value ", shape,
                       "; every extent must be >= 0; use sizes >= 0.");
  }
  return shape;
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What every parameter update asks of its arguments.
#pragma once

#include "paddle_core/op/infer.h"

namespace paddle::ops {

// Argument k has the shape of the parameter, argument 0.
inline void require_like_param(const Infer& c, int k) {
  const Shape &p = c.shape(0), &s = c.shape(k);
  bool same = p.size() == s.size();
  for (size_t i = 0; same && i < p.size(); ++i) same = decide_eq(p[i], s[i], true);
  PADDLE_CHECK_VALUE(same, c.op_name(), ": ", c.arg_name(k), " has shape ", s,
                     " and param has shape ", p,
                     "; they must be equal; rebuild the optimizer state for this parameter.");
}

// The gradient has the dtype of the parameter, or is a float32 sum for a 16-bit parameter.
inline void require_gradient(const Infer& c, int k) {
  const bool master = size_of(c.dtype(0)) == 2 && c.dtype(k) == DType::kFloat32;
  if (!master) c.require_same_dtype(0, k);
}

}  // namespace paddle::ops

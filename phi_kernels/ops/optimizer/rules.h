// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What every parameter update asks of its arguments.
#pragma once

#include <algorithm>
#include <string>

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

// Argument k is state, which the step writes.
inline bool is_updated(const Infer& c, int k) {
  const auto& sources = c.op().inplace_arg;
  return std::find(sources.begin(), sources.end(), k) != sources.end();
}

// Scalars in tensors have one element (running powers and a rate that is state may have the
// parameter's shape); a master copy has the parameter's shape. It and the state have the dtype that
// the update computes in.
inline void require_scalars_and_master(const Infer& c) {
  const DType wide = c.dtype(0) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const auto& args = c.op().schema().args;
  for (size_t i = 1; i < args.size(); ++i) {
    const int k = static_cast<int>(i);
    const std::string& name = args[i].name;
    if (!args[i].is_tensor() || !c.has(k)) continue;
    if (name == "n" || (name == "learning_rate" && !is_updated(c, k))) {
      c.require_elements(k, 1);
    } else if (name == "rho" || name.ends_with("_pow") || name == "mu_product") {
      if (!(c.shape(k) == c.shape(0))) c.require_elements(k, 1);
    } else if (name == "skip_update") {
      c.require_elements(k, 1);
      c.require_dtype(k, DType::kBool);
    } else if (name == "master_param") {
      require_like_param(c, k);
      c.require_dtype(k, wide);
    } else if (is_updated(c, k)) {  // state, which kernels hold in the computing type
      c.require_dtype(k, wide);
    }
  }
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of an epilogue as loops over runs of float32 results that are still in cache.
#pragma once

#include <optional>
#include <vector>

#include "paddle_core/op/epilogue.h"
#include "phi_kernels/cpu/loops.h"

namespace paddle::cpu {

class RowEpilogue {
 public:
  // None when a step has no loop.
  static std::optional<RowEpilogue> of(const Epilogue& epilogue);

  bool empty() const { return steps_.empty(); }
  // values[0, n) in place; `residual` belongs to the same results.
  void apply(float* values, const float* residual, int64_t n) const;

 private:
  struct Step {
    Inner fn;
    Params params;
    bool takes_residual;
  };
  std::vector<Step> steps_;
};

}  // namespace paddle::cpu

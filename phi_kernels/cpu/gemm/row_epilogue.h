// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of an epilogue as loops over runs of float32 results that are still in cache.
#pragma once

#include <optional>
#include <vector>

#include "paddle_core/op/epilogue.h"
#include "phi_kernels/cpu/loops/loops.h"

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

// What is done to the results of a product while they are in cache: a bias per column (null: none),
// then the steps, of which one may take a residual of the shape of the results.
struct ProductFinish {
  const float* bias;
  const RowEpilogue& steps;
  const float* residual;  // null when no step takes one
  // To `width` results from `column` on of `lines` rows from `row` on; rows of c have n elements.
  void apply(float* c, int64_t n, int64_t row, int64_t lines, int64_t column, int64_t width) const;
};

}  // namespace paddle::cpu

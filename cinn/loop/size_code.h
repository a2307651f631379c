// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of sizes, evaluated together: every node that they share once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cinn/loop/expr.h"
#include "paddle_core/base/small_vector.h"

namespace paddle::cinn {

class SizeCode {
 public:
  // Returns where the value will stand. The expression is made of sizes and constants.
  size_t add(Expr e);
  // The values, in the order of add().
  void run(const int64_t* sizes, SmallVector<int64_t, 32>& values) const;

 private:
  struct Step {
    ExprOp op;
    DType type;  // of the operands
    int64_t number = 0;
    size_t args[3] = {};
  };
  size_t step_of(Expr e);
  std::vector<Step> steps_;
  std::vector<size_t> wanted_;
  std::unordered_map<Expr, size_t> known_;
};

}  // namespace paddle::cinn

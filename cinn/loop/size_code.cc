// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Steps in an order in which operands come first.
#include "cinn/loop/size_code.h"

#include "cinn/loop/integers.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {

size_t SizeCode::step_of(Expr e) {
  if (const auto found = known_.find(e); found != known_.end()) return found->second;
  Step step{e->op, e->args.empty() ? e->type : e->args[0]->type, e->integer};
  PADDLE_ASSERT(e->op == ExprOp::kConstant || e->op == ExprOp::kSize || e->args.size() >= 2);
  for (size_t i = 0; i < e->args.size(); ++i) step.args[i] = step_of(e->args[i]);
  steps_.push_back(step);
  return known_[e] = steps_.size() - 1;
}

size_t SizeCode::add(Expr e) {
  wanted_.push_back(step_of(e));
  return wanted_.size() - 1;
}

void SizeCode::run(const int64_t* sizes, SmallVector<int64_t, 32>& values) const {
  SmallVector<int64_t, 64> known(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    switch (s.op) {
      case ExprOp::kConstant:
        known[i] = s.number;
        break;
      case ExprOp::kSize:
        known[i] = sizes[s.number];
        break;
      case ExprOp::kSelect:
        known[i] = known[s.args[0]] ? known[s.args[1]] : known[s.args[2]];
        break;
      default:
        // Both sides of a selection are evaluated; an operation without a value, such as a division
        // by 0, can only stand in the one that is not chosen.
        known[i] = integer_operation(s.op, s.type, known[s.args[0]], known[s.args[1]]).value_or(0);
    }
  }
  values.resize(wanted_.size());
  for (size_t i = 0; i < wanted_.size(); ++i) values[i] = known[wanted_[i]];
}

}  // namespace paddle::cinn

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions as lists of steps that are computed one after the other: how the interpreter
// evaluates an expression many times, each shared node once. Private to the interpreter.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "cinn/loop/expr.h"

namespace paddle::cinn {

// A value of any type: integers and bool in `whole`, floats in `real` (float32 already rounded).
struct Scalar64 {
  int64_t whole = 0;
  double real = 0;
};

// One operation that reads nothing but its operands.
Scalar64 apply(Expr e, const Scalar64* args);
// An element of memory, widened as kLoad does, and back as Store does.
Scalar64 read_element(const void* memory, DType type, int64_t index);
void write_element(void* memory, DType type, int64_t index, Scalar64 value);

class ScalarCode {
 public:
  explicit ScalarCode(Expr root);
  // `leaf` gives variables, sizes, registers, and kShuffleXor of the whole node; `load` what a
  // kLoad reads at an index.
  template <typename Leaf, typename Load>
  Scalar64 run(std::vector<Scalar64>& values, const Leaf& leaf, const Load& load) const {
    values.resize(steps_.size());
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      switch (step.e->op) {
        case ExprOp::kVariable:
        case ExprOp::kSize:
        case ExprOp::kRegister:
        case ExprOp::kShuffleXor:
          values[i] = leaf(step.e);
          break;
        case ExprOp::kLoad:
          values[i] = load(step.e, values[step.args[0]].whole);
          break;
        default: {
          Scalar64 args[3];
          for (size_t k = 0; k < step.args.size(); ++k) args[k] = values[step.args[k]];
          values[i] = apply(step.e, args);
        }
      }
    }
    return values.back();
  }

 private:
  struct Step {
    Expr e;
    SmallVector<size_t, 3> args;
  };
  std::vector<Step> steps_;
};

}  // namespace paddle::cinn

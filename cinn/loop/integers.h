// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of expr.h on integers, and its comparisons, for whoever computes with them:
// folding, the interpreter, the sizes of a call.
#pragma once

#include <optional>

#include "cinn/loop/expr.h"

namespace paddle::cinn {

int bits_of(DType type);
// The bits of a value without those of a sign above its width.
uint64_t pattern(DType type, int64_t whole);
// What a type keeps of these bits, as a number.
int64_t wrapped(DType type, uint64_t bits);
// Comparisons of two numbers; none for another operation.
template <typename T>
std::optional<bool> compared(ExprOp op, T a, T b) {
  switch (op) {
    case ExprOp::kLess:
      return a < b;
    case ExprOp::kLessEqual:
      return a <= b;
    case ExprOp::kEqual:
      return a == b;
    case ExprOp::kNotEqual:
      return a != b;
    default:
      return std::nullopt;
  }
}
// Of two integers of the type; a comparison gives 0 or 1. None where it is not for integers.
std::optional<int64_t> integer_operation(ExprOp op, DType type, int64_t a, int64_t b);

}  // namespace paddle::cinn

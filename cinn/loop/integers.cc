// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Wrapping arithmetic, computed in 64 bits.
#include "cinn/loop/integers.h"

#include <algorithm>

namespace paddle::cinn {
namespace {

int64_t quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

int64_t floored(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t q = quotient(a, b);
  const bool exact = b == -1 || a % b == 0;
  return q - (!exact && ((a < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace

int bits_of(DType type) { return static_cast<int>(size_of(type)) * 8; }

uint64_t pattern(DType type, int64_t whole) {
  const auto all = static_cast<uint64_t>(whole);
  return bits_of(type) == 64 ? all : all & ((uint64_t{1} << bits_of(type)) - 1);
}

int64_t wrapped(DType type, uint64_t bits) {
  switch (type) {
    case DType::kBool:
      return static_cast<int64_t>(bits & 1);
    case DType::kUInt8:
      return static_cast<uint8_t>(bits);
    case DType::kInt8:
      return static_cast<int8_t>(bits);
    case DType::kInt16:
      return static_cast<int16_t>(bits);
    case DType::kInt32:
      return static_cast<int32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

std::optional<int64_t> integer_operation(ExprOp op, DType type, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case ExprOp::kAdd:
      return wrapped(type, ua + ub);
    case ExprOp::kSubtract:
      return wrapped(type, ua - ub);
    case ExprOp::kMultiply:
      return wrapped(type, ua * ub);
    case ExprOp::kDivide:
      return wrapped(type, static_cast<uint64_t>(quotient(a, b)));
    case ExprOp::kFloorDivide:
      return wrapped(type, static_cast<uint64_t>(floored(a, b)));
    case ExprOp::kModulo:
      return b == 0 ? 0 : wrapped(type, ua - static_cast<uint64_t>(floored(a, b)) * ub);
    case ExprOp::kMin:
      return std::min(a, b);
    case ExprOp::kMax:
      return std::max(a, b);
    case ExprOp::kAnd:
      return a & b;
    case ExprOp::kOr:
      return a | b;
    case ExprOp::kXor:
      return a ^ b;
    case ExprOp::kShiftLeft:
      return wrapped(type, ua << (ub & 63));
    case ExprOp::kShiftRight:
      return wrapped(type, pattern(type, a) >> (ub & 63));
    case ExprOp::kShiftRightArithmetic:
      return wrapped(type, static_cast<uint64_t>(a >> (ub & 63)));
    default: {
      const auto holds = compared(op, a, b);
      return holds ? std::optional<int64_t>(*holds) : std::nullopt;
    }
  }
}

}  // namespace paddle::cinn

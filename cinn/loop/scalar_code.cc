// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of expr.h on single values.
#include "cinn/loop/scalar_code.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "cinn/loop/integers.h"
#include "paddle_core/base/error.h"
#include "paddle_core/type/float16.h"

namespace paddle::cinn {
namespace {

double real_operation(ExprOp op, DType type, double a, double b) {
  const bool single = type == DType::kFloat32;
  const auto rounded = [single](double v) { return single ? double{static_cast<float>(v)} : v; };
  switch (op) {
    // Of two float32 values these are rounded from float64 as they would be at once.
    case ExprOp::kAdd:
      return rounded(a + b);
    case ExprOp::kSubtract:
      return rounded(a - b);
    case ExprOp::kMultiply:
      return rounded(a * b);
    case ExprOp::kDivide:
      return rounded(a / b);
    case ExprOp::kMin:
      return std::isnan(a) || std::isnan(b) ? a + b : a < b ? a : b;
    case ExprOp::kMax:
      return std::isnan(a) || std::isnan(b) ? a + b : a > b ? a : b;
    case ExprOp::kCopySign:
      return std::copysign(a, b);
    default:
      throw_error(ErrorKind::kRuntime, str("cinn: ", name_of(op), " is not for floats."));
  }
}

int64_t whole_operation(ExprOp op, DType type, int64_t a, int64_t b) {
  const auto value = integer_operation(op, type, a, b);
  PADDLE_CHECK_RUNTIME(value, "cinn: ", name_of(op), " is not for integers.");
  return *value;
}

Scalar64 converted(DType from, DType to, Scalar64 x) {
  if (is_floating(to)) {
    // From the integer at once: by way of float64 it would be rounded twice.
    if (!is_floating(from)) {
      return {0, to == DType::kFloat32 ? double{static_cast<float>(x.whole)}
                                       : static_cast<double>(x.whole)};
    }
    return {0, to == DType::kFloat32 ? double{static_cast<float>(x.real)} : x.real};
  }
  if (!is_floating(from)) {
    return {to == DType::kBool ? int64_t{x.whole != 0}
                               : wrapped(to, static_cast<uint64_t>(x.whole))};
  }
  if (to == DType::kBool) return {x.real != 0};
  if (std::isnan(x.real)) return {};
  const bool is_unsigned = to == DType::kUInt8;
  const int bits = bits_of(to);
  const double low = is_unsigned ? 0 : -std::ldexp(1, bits - 1);
  const double past = std::ldexp(1, is_unsigned ? bits : bits - 1);
  const double toward_zero = std::trunc(x.real);
  if (toward_zero <= low) return {is_unsigned ? 0 : static_cast<int64_t>(low)};
  if (toward_zero >= past) {
    return {static_cast<int64_t>((uint64_t{1} << (is_unsigned ? bits : bits - 1)) - 1)};
  }
  return {static_cast<int64_t>(toward_zero)};
}

Scalar64 reinterpreted(DType from, DType to, Scalar64 x) {
  uint64_t bits = 0;
  if (from == DType::kFloat32) {
    bits = std::bit_cast<uint32_t>(static_cast<float>(x.real));
  } else if (from == DType::kFloat64) {
    bits = std::bit_cast<uint64_t>(x.real);
  } else {
    bits = pattern(from, x.whole);
  }
  if (to == DType::kFloat32) return {0, std::bit_cast<float>(static_cast<uint32_t>(bits))};
  if (to == DType::kFloat64) return {0, std::bit_cast<double>(bits)};
  return {wrapped(to, bits)};
}

template <typename T>
T element(const void* memory, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(memory) + index * int64_t{sizeof(T)}, sizeof(T));
  return value;
}
template <typename T>
void set_element(void* memory, int64_t index, T value) {
  std::memcpy(static_cast<char*>(memory) + index * int64_t{sizeof(T)}, &value, sizeof(T));
}

}  // namespace

Scalar64 apply(Expr e, const Scalar64* x) {
  const DType type = e->args.empty() ? e->type : e->args[0]->type;
  const bool real = is_floating(type), single = type == DType::kFloat32;
  switch (e->op) {
    case ExprOp::kConstant:
      return {e->integer, e->real};
    case ExprOp::kNegate:
      return real ? Scalar64{0, -x[0].real}
                  : Scalar64{wrapped(type, 0 - static_cast<uint64_t>(x[0].whole))};
    case ExprOp::kAbs:
      return real             ? Scalar64{0, std::fabs(x[0].real)}
             : x[0].whole < 0 ? Scalar64{wrapped(type, 0 - static_cast<uint64_t>(x[0].whole))}
                              : x[0];
    case ExprOp::kSqrt:
      return {0, single ? double{std::sqrt(static_cast<float>(x[0].real))} : std::sqrt(x[0].real)};
    case ExprOp::kFloor:
      return {0, std::floor(x[0].real)};
    case ExprOp::kCeil:
      return {0, std::ceil(x[0].real)};
    case ExprOp::kTrunc:
      return {0, std::trunc(x[0].real)};
    case ExprOp::kRoundEven:
      return {0, std::nearbyint(x[0].real)};
    case ExprOp::kNot:
      return {wrapped(type, ~static_cast<uint64_t>(x[0].whole))};
    case ExprOp::kCast:
      return converted(type, e->type, x[0]);
    case ExprOp::kBitcast:
      return reinterpreted(type, e->type, x[0]);
    case ExprOp::kRound16: {
      const auto value = static_cast<float>(x[0].real);
      return {0, static_cast<DType>(e->integer) == DType::kBFloat16
                     ? static_cast<float>(bfloat16(value))
                     : static_cast<float>(float16(value))};
    }
    case ExprOp::kLess:
    case ExprOp::kLessEqual:
    case ExprOp::kEqual:
    case ExprOp::kNotEqual:
      return real ? Scalar64{*compared(e->op, x[0].real, x[1].real)}
                  : Scalar64{whole_operation(e->op, type, x[0].whole, x[1].whole)};
    case ExprOp::kSelect:
      return x[0].whole ? x[1] : x[2];
    case ExprOp::kFma:
      return {0, single
                     ? double{std::fma(static_cast<float>(x[0].real), static_cast<float>(x[1].real),
                                       static_cast<float>(x[2].real))}
                     : std::fma(x[0].real, x[1].real, x[2].real)};
    default:
      return real ? Scalar64{0, real_operation(e->op, type, x[0].real, x[1].real)}
                  : Scalar64{whole_operation(e->op, type, x[0].whole, x[1].whole)};
  }
}

Scalar64 read_element(const void* memory, DType type, int64_t index) {
  switch (type) {
    case DType::kBool:
      return {element<uint8_t>(memory, index) != 0};
    case DType::kUInt8:
      return {element<uint8_t>(memory, index)};
    case DType::kInt8:
      return {element<int8_t>(memory, index)};
    case DType::kInt16:
      return {element<int16_t>(memory, index)};
    case DType::kInt32:
      return {element<int32_t>(memory, index)};
    case DType::kInt64:
      return {element<int64_t>(memory, index)};
    case DType::kFloat16:
      return {0, static_cast<float>(element<float16>(memory, index))};
    case DType::kBFloat16:
      return {0, static_cast<float>(element<bfloat16>(memory, index))};
    case DType::kFloat32:
      return {0, element<float>(memory, index)};
    case DType::kFloat64:
      return {0, element<double>(memory, index)};
    default:
      throw_error(ErrorKind::kRuntime, str("cinn: no kernel has elements of ", type, "."));
  }
}

void write_element(void* memory, DType type, int64_t index, Scalar64 value) {
  switch (type) {
    case DType::kBool:
    case DType::kUInt8:
    case DType::kInt8:
      return set_element(memory, index, static_cast<uint8_t>(value.whole));
    case DType::kInt16:
      return set_element(memory, index, static_cast<int16_t>(value.whole));
    case DType::kInt32:
      return set_element(memory, index, static_cast<int32_t>(value.whole));
    case DType::kInt64:
      return set_element(memory, index, value.whole);
    case DType::kFloat16:
      return set_element(memory, index, float16(static_cast<float>(value.real)));
    case DType::kBFloat16:
      return set_element(memory, index, bfloat16(static_cast<float>(value.real)));
    case DType::kFloat32:
      return set_element(memory, index, static_cast<float>(value.real));
    case DType::kFloat64:
      return set_element(memory, index, value.real);
    default:
      throw_error(ErrorKind::kRuntime, str("cinn: no kernel has elements of ", type, "."));
  }
}

ScalarCode::ScalarCode(Expr root) {
  std::unordered_map<Expr, size_t> places;
  const std::function<size_t(Expr)> add = [&](Expr e) -> size_t {
    if (const auto found = places.find(e); found != places.end()) return found->second;
    Step step{e, {}};
    // What a shuffle reads is another thread's: it is evaluated there.
    if (e->op != ExprOp::kShuffleXor) {
      for (Expr a : e->args) step.args.push_back(add(a));
    }
    steps_.push_back(std::move(step));
    return places[e] = steps_.size() - 1;
  };
  add(root);
}

}  // namespace paddle::cinn

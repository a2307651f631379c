// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Element types, their sizes, names, kinds and numbers on disk; promotion rules are in promotion.h.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "paddle_core/base/export.h"
#include "paddle_core/type/float16.h"

namespace paddle {

enum class DType : uint8_t {
  kUndefined = 0,
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat8E4M3,  // float8_e4m3fn
  kFloat8E5M2,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};
inline constexpr int kNumDTypes = 15;

namespace detail {
inline constexpr uint8_t kDTypeSize[kNumDTypes] = {0, 1, 1, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 8, 16};
}

constexpr size_t size_of(DType t) { return detail::kDTypeSize[static_cast<int>(t)]; }
constexpr bool is_bool(DType t) { return t == DType::kBool; }
constexpr bool is_integer(DType t) { return t >= DType::kUInt8 && t <= DType::kInt64; }  // not bool
constexpr bool is_float8(DType t) { return t == DType::kFloat8E4M3 || t == DType::kFloat8E5M2; }
constexpr bool is_floating(DType t) { return t >= DType::kFloat8E4M3 && t <= DType::kFloat64; }
constexpr bool is_complex(DType t) { return t >= DType::kComplex64; }
constexpr bool is_differentiable(DType t) { return t >= DType::kFloat8E4M3; }
constexpr DType real_of(DType t) {
  return t == DType::kComplex64 ? DType::kFloat32 : t == DType::kComplex128 ? DType::kFloat64 : t;
}
constexpr DType complex_of(DType t) {
  return t == DType::kFloat64 || t == DType::kComplex128 ? DType::kComplex128 : DType::kComplex64;
}

// "float32", "bfloat16", "bool", "float8_e4m3fn", ...
PADDLE_API std::string_view name_of(DType t);
// Accepts the names above; kUndefined when there is no such type.
PADDLE_API DType dtype_from_name(std::string_view name);
// The number that PaddlePaddle's tensor records use (formats: VarType.Type).
PADDLE_API int disk_number_of(DType t);
PADDLE_API DType dtype_from_disk_number(int number);
PADDLE_API std::ostream& operator<<(std::ostream& out, DType t);

// DType of a C++ type, and back.
template <typename T>
struct DTypeOf;
#define PADDLE_FOR_ALL_DTYPES(F)        \
  F(bool, kBool)                        \
  F(uint8_t, kUInt8)                    \
  F(int8_t, kInt8)                      \
  F(int16_t, kInt16)                    \
  F(int32_t, kInt32)                    \
  F(int64_t, kInt64)                    \
  F(::paddle::float8_e4m3, kFloat8E4M3) \
  F(::paddle::float8_e5m2, kFloat8E5M2) \
  F(::paddle::float16, kFloat16)        \
  F(::paddle::bfloat16, kBFloat16)      \
  F(float, kFloat32)                    \
  F(double, kFloat64)                   \
  F(std::complex<float>, kComplex64)    \
  F(std::complex<double>, kComplex128)
#define PADDLE_DTYPE_OF(T, name)                \
  template <>                                   \
  struct DTypeOf<T> {                           \
    static constexpr DType value = DType::name; \
  };
PADDLE_FOR_ALL_DTYPES(PADDLE_DTYPE_OF)
#undef PADDLE_DTYPE_OF

}  // namespace paddle

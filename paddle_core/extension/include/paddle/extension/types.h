// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Element types, 16-bit floats, places, scalars, integer arrays and optional values as extensions
// see them.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include "paddle/extension/host.h"

PADDLE_EXTENSION_BEGIN

enum class DataType : int32_t {
  UNDEFINED = PADDLE_UNDEFINED,
  BOOL = PADDLE_BOOL,
  UINT8 = PADDLE_UINT8,
  INT8 = PADDLE_INT8,
  INT16 = PADDLE_INT16,
  INT32 = PADDLE_INT32,
  INT64 = PADDLE_INT64,
  FLOAT8_E4M3FN = PADDLE_FLOAT8_E4M3FN,
  FLOAT8_E5M2 = PADDLE_FLOAT8_E5M2,
  FLOAT16 = PADDLE_FLOAT16,
  BFLOAT16 = PADDLE_BFLOAT16,
  FLOAT32 = PADDLE_FLOAT32,
  FLOAT64 = PADDLE_FLOAT64,
  COMPLEX64 = PADDLE_COMPLEX64,
  COMPLEX128 = PADDLE_COMPLEX128,
  UINT16,  // no tensor has these; operators name them
  UINT32,
  UINT64,
};

inline const char* name_of(DataType t) {
  static constexpr const char* kNames[] = {
      "undefined", "bool",          "uint8",       "int8",    "int16",    "int32",
      "int64",     "float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32",
      "float64",   "complex64",     "complex128",  "uint16",  "uint32",   "uint64"};
  return kNames[static_cast<int>(t)];
}
inline std::ostream& operator<<(std::ostream& out, DataType t) { return out << name_of(t); }
inline std::string DataTypeToString(DataType t) { return name_of(t); }
inline size_t SizeOf(DataType t) {
  static constexpr size_t kSizes[] = {0, 1, 1, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 8, 16, 2, 4, 8};
  return kSizes[static_cast<int>(t)];
}

enum class DataLayout : int32_t {
  NHWC = 1,
  NCHW = 2,
  NCDHW = 3,
  NDHWC = 4,
  UNDEFINED = 0,
  ANY = 0
};

// A float in 16 bits with the given conversion; computes in float.
template <typename Format>
struct Float16Base {
  uint16_t x = 0;
  Float16Base() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Float16Base(T value) : x(Format::encode(static_cast<float>(value))) {}  // NOLINT
  operator float() const { return Format::decode(x); }                    // NOLINT
  Float16Base& operator+=(float v) { return *this = Float16Base(static_cast<float>(*this) + v); }
  Float16Base& operator-=(float v) { return *this = Float16Base(static_cast<float>(*this) - v); }
  Float16Base& operator*=(float v) { return *this = Float16Base(static_cast<float>(*this) * v); }
  Float16Base& operator/=(float v) { return *this = Float16Base(static_cast<float>(*this) / v); }
};

namespace detail {

inline float bits_to_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t float_to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

struct BFloat16Format {
  static float decode(uint16_t x) { return bits_to_float(uint32_t{x} << 16); }
  // To nearest, ties to even; a NaN stays one.
  static uint16_t encode(float value) {
    const uint32_t bits = float_to_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
};

struct HalfFormat {
  static float decode(uint16_t x) {
    const uint32_t sign = uint32_t{x & 0x8000u} << 16, exponent = (x >> 10) & 31u,
                   mantissa = x & 0x3ffu;
    if (exponent == 31) return bits_to_float(sign | 0x7f800000u | (mantissa << 13));
    if (exponent != 0) return bits_to_float(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  static uint16_t encode(float value) {
    const uint32_t bits = float_to_bits(value), sign = (bits >> 16) & 0x8000u,
                   magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to inf
    if (magnitude < 0x38800000u) {  // subnormal: the addition rounds to multiples of 2^-24
      const float rounded = bits_to_float(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (float_to_bits(rounded) - float_to_bits(0.5f)));
    }
    const uint32_t even = (magnitude >> 13) & 1u;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + even) >> 13));
  }
};

}  // namespace detail

using bfloat16 = Float16Base<detail::BFloat16Format>;
using float16 = Float16Base<detail::HalfFormat>;
template <typename T>
using complex = std::complex<T>;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

namespace detail {
template <typename T>
struct DataTypeOf;
#define PADDLE_EXTENSION_DTYPE(T, NAME)               \
  template <>                                         \
  struct DataTypeOf<T> {                              \
    static constexpr DataType value = DataType::NAME; \
  };
PADDLE_EXTENSION_DTYPE(bool, BOOL)
PADDLE_EXTENSION_DTYPE(uint8_t, UINT8)
PADDLE_EXTENSION_DTYPE(int8_t, INT8)
PADDLE_EXTENSION_DTYPE(int16_t, INT16)
PADDLE_EXTENSION_DTYPE(int32_t, INT32)
PADDLE_EXTENSION_DTYPE(int64_t, INT64)
PADDLE_EXTENSION_DTYPE(float16, FLOAT16)
PADDLE_EXTENSION_DTYPE(bfloat16, BFLOAT16)
PADDLE_EXTENSION_DTYPE(float, FLOAT32)
PADDLE_EXTENSION_DTYPE(double, FLOAT64)
PADDLE_EXTENSION_DTYPE(complex64, COMPLEX64)
PADDLE_EXTENSION_DTYPE(complex128, COMPLEX128)
#undef PADDLE_EXTENSION_DTYPE
}  // namespace detail

// The DataType of a C++ type.
template <typename T>
struct CppTypeToDataType {
  static constexpr DataType Type() { return detail::DataTypeOf<T>::value; }
};

enum class PlaceType : int32_t { kUNK = 0, kCPU = 1, kGPU = 2 };
enum class AllocationType : int8_t { UNDEFINED = 0, CPU = 1, GPU = 2, CUSTOM = 3 };

class Place {
 public:
  Place() = default;
  Place(PlaceType kind) : kind_(static_cast<int32_t>(kind)) {}  // NOLINT
  explicit Place(AllocationType kind, int index = 0)
      : kind_(static_cast<int32_t>(kind)), index_(index) {}
  explicit Place(PaddlePlace p) : kind_(p.kind), index_(p.index) {}
  PaddlePlace raw() const { return {kind_, index_}; }
  bool defined() const { return kind_ != PADDLE_DEVICE_UNDEFINED; }
  AllocationType GetType() const { return static_cast<AllocationType>(kind_); }
  int GetDeviceId() const { return index_; }
  friend bool operator==(const Place& a, const Place& b) {
    return a.kind_ == b.kind_ && a.index_ == b.index_;
  }
  friend bool operator!=(const Place& a, const Place& b) { return !(a == b); }

 protected:
  Place(int32_t kind, int32_t index) : kind_(kind), index_(index) {}
  int32_t kind_ = PADDLE_DEVICE_UNDEFINED, index_ = 0;
};
struct CPUPlace : Place {
  CPUPlace() : Place(PADDLE_DEVICE_CPU, 0) {}
};
struct GPUPlace : Place {
  explicit GPUPlace(int index = 0) : Place(PADDLE_DEVICE_GPU, index) {}
};
inline std::ostream& operator<<(std::ostream& out, const Place& p) {
  static constexpr const char* kKinds[] = {"undefined", "cpu", "gpu", "custom"};
  out << "Place(" << kKinds[p.raw().kind];
  if (p.raw().kind > PADDLE_DEVICE_CPU) out << ':' << p.raw().index;
  return out << ')';
}

using none_t = std::nullopt_t;
inline constexpr std::nullopt_t none = std::nullopt;

// std::optional with the accessors that operators use.
template <typename T>
class optional : public std::optional<T> {
 public:
  using std::optional<T>::optional;
  T& get() { return this->value(); }
  const T& get() const { return this->value(); }
  T* get_ptr() { return this->has_value() ? &**this : nullptr; }
  const T* get_ptr() const { return this->has_value() ? &**this : nullptr; }
  bool is_initialized() const { return this->has_value(); }
};
template <typename T>
optional<std::decay_t<T>> make_optional(T&& value) {
  return optional<std::decay_t<T>>(std::forward<T>(value));
}

// A number of any type.
class Scalar {
 public:
  Scalar() : Scalar(0) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T value) {  // NOLINT
    if constexpr (std::is_same_v<T, bool>) {
      value_.kind = PADDLE_VALUE_BOOL;
      value_.i = value;
    } else if constexpr (std::is_integral_v<T>) {
      value_.kind = PADDLE_VALUE_INT;
      value_.i = static_cast<int64_t>(value);
    } else {
      value_.kind = PADDLE_VALUE_FLOAT;
      value_.f = static_cast<double>(value);
    }
  }
  template <typename T>
  T to() const {
    return value_.kind == PADDLE_VALUE_FLOAT ? static_cast<T>(value_.f) : static_cast<T>(value_.i);
  }
  const PaddleValue& raw() const { return value_; }

 private:
  PaddleValue value_{};
};

// A shape or a list of axes.
class IntArray {
 public:
  IntArray() = default;
  IntArray(std::initializer_list<int64_t> values) : values_(values) {}
  IntArray(const std::vector<int64_t>& values) : values_(values) {}                    // NOLINT
  IntArray(const std::vector<int>& values) : values_(values.begin(), values.end()) {}  // NOLINT
  const std::vector<int64_t>& GetData() const { return values_; }
  size_t size() const { return values_.size(); }
  int64_t operator[](size_t i) const { return values_[i]; }

 private:
  std::vector<int64_t> values_;
};

PADDLE_EXTENSION_END

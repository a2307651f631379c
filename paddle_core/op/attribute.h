// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Values that programs and their files hold beside tensors: small, compared by content.
#pragma once

#include <complex>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "paddle_core/device/device.h"
#include "paddle_core/shape/shape.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle {

class Attribute;
using AttributeArray = std::vector<Attribute>;

// A double that is stored as 32-bit float in files.
struct Float32 {
  double value = 0;
  friend bool operator==(Float32 a, Float32 b) {
    return a.value == b.value || (a.value != a.value && b.value != b.value);
  }
};

// Values of a contiguous tensor; equal when dtype, shape and bytes are. Prints its elements up to
// kMaxPrintedElements.
struct PADDLE_API DenseValues {
  static constexpr int64_t kMaxPrintedElements = 64;
  Tensor tensor;
  friend PADDLE_API bool operator==(const DenseValues& a, const DenseValues& b);
};

class PADDLE_API Attribute {
 public:
  // Order of the alternatives = order of Kind.
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kI32,
    kI64,
    kF32,
    kF64,
    kString,
    kArray,
    kDType,
    kPlace,
    kIntArray,
    kComplex,
    kScalar,
    kDense
  };
  using Data =
      std::variant<std::monostate, bool, int32_t, int64_t, Float32, double, std::string,
                   AttributeArray, DType, Place, Shape, std::complex<double>, Scalar, DenseValues>;
  Attribute() = default;
  template <typename T>
  requires(!std::is_same_v<std::decay_t<T>, Attribute>) Attribute(T value)
      : data_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is(Kind k) const { return kind() == k; }
  template <typename T>
  const T& get() const {
    const T* v = std::get_if<T>(&data_);
    PADDLE_CHECK_VALUE(v, "program: an attribute has kind ", static_cast<int>(kind()),
                       "; the operator needs another kind.");
    return *v;
  }
  // Any integer or bool; ValueError otherwise.
  int64_t to_int() const;
  // Any number.
  double to_double() const;
  Scalar to_scalar() const;
  // An array of integers or an intarray.
  Shape to_dims() const;
  const Data& data() const { return data_; }
  friend PADDLE_API bool operator==(const Attribute& a, const Attribute& b);
  friend PADDLE_API std::ostream& operator<<(std::ostream& out, const Attribute& attribute);

 private:
  Data data_;
};
PADDLE_API std::string quoted(std::string_view text);
// "tensor<2x3xfloat32>", with the place unless that is the host.
PADDLE_API void put_tensor_type(std::ostream& out, DType dtype, const Shape& shape, Place place);

using NamedAttribute = std::pair<std::string, Attribute>;

}  // namespace paddle

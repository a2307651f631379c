// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Types and attributes of the program IR: small values that compare by content. A type is absent
// (null), a dense tensor (dtype, shape, whose extents may be symbolic, and place), a vector of
// types, or a type that another library defines (ExtensionType).
#pragma once

#include <complex>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "paddle_core/device/device.h"
#include "paddle_core/shape/shape.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::pir {

class ExtensionType;

class PADDLE_API Type {
 public:
  enum class Kind : uint8_t { kNull, kTensor, kVector, kExtension };
  Type() = default;
  static Type tensor(DType dtype, const Shape& shape, Place place = Place());
  static Type vector(std::vector<Type> elements);
  static Type extension(std::shared_ptr<const ExtensionType> type);
  // Of a tensor or an undefined one.
  static Type of(const Tensor& t);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_tensor() const { return kind_ == Kind::kTensor; }
  bool is_vector() const { return kind_ == Kind::kVector; }
  bool is_extension() const { return kind_ == Kind::kExtension; }
  // Of a tensor and of an extension type that stands for one.
  DType dtype() const { return dtype_; }
  // What the program computes with: of a tensor that is cut into parts the shape of the whole.
  const Shape& shape() const { return shape_; }
  // What this process holds of it when the program runs.
  const Shape& local_shape() const;
  Place place() const { return place_; }
  // Null unless is_extension().
  const ExtensionType* extension() const { return extension_.get(); }
  const std::vector<Type>& elements() const { return elements_; }
  friend PADDLE_API bool operator==(const Type& a, const Type& b);

 private:
  Kind kind_ = Kind::kNull;
  DType dtype_ = DType::kUndefined;
  Place place_;
  Shape shape_;
  std::vector<Type> elements_;
  std::shared_ptr<const ExtensionType> extension_;
};
PADDLE_API std::ostream& operator<<(std::ostream& out, const Type& type);

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
  friend bool operator==(const Attribute& a, const Attribute& b);

 private:
  Data data_;
};
PADDLE_API std::ostream& operator<<(std::ostream& out, const Attribute& attribute);
PADDLE_API std::string quoted(std::string_view text);

using NamedAttribute = std::pair<std::string, Attribute>;

}  // namespace paddle::pir

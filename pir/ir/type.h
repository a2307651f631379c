// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Types of the program IR, which compare by content. A type is absent (null), a dense tensor
// (dtype, shape, whose extents may be symbolic, and place), a vector of types, or a type that
// another library defines (ExtensionType). Attributes are those of paddle_core/op/attribute.h.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "paddle_core/op/attribute.h"

namespace paddle::pir {

using paddle::Attribute;
using paddle::AttributeArray;
using paddle::DenseValues;
using paddle::Float32;
using paddle::NamedAttribute;

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

}  // namespace paddle::pir

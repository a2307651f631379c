// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Content comparison and printing of types.
#include "pir/ir/type.h"

#include <ostream>

#include "paddle_core/shape/sym.h"
#include "pir/ir/extension_type.h"

namespace paddle::pir {

Type Type::tensor(DType dtype, const Shape& shape, Place place) {
  Type t;
  t.place_ = place;
  t.kind_ = Kind::kTensor;
  t.dtype_ = dtype;
  t.shape_ = shape;
  return t;
}

Type Type::vector(std::vector<Type> elements) {
  Type t;
  t.kind_ = Kind::kVector;
  t.elements_ = std::move(elements);
  return t;
}

Type Type::extension(std::shared_ptr<const ExtensionType> type) {
  PADDLE_ASSERT(type != nullptr);
  Type t;
  t.kind_ = Kind::kExtension;
  t.dtype_ = type->dtype();
  t.place_ = type->place();
  t.shape_ = type->global_shape();
  t.extension_ = std::move(type);
  return t;
}

Type Type::of(const Tensor& t) {
  return t.defined() ? tensor(t.dtype(), t.shape(), t.place()) : Type();
}

const Shape& Type::local_shape() const { return extension_ ? extension_->local_shape() : shape_; }

bool operator==(const Type& a, const Type& b) {
  if (a.kind_ != b.kind_ || a.dtype_ != b.dtype_ || !(a.place_ == b.place_)) return false;
  if (!(a.shape_ == b.shape_) || !(a.elements_ == b.elements_)) return false;
  if (a.extension_ == b.extension_) return true;
  return a.extension_->name() == b.extension_->name() && a.extension_->equals(*b.extension_);
}

std::ostream& operator<<(std::ostream& out, const Type& type) {
  if (type.is_null()) return out << "null";
  if (type.is_tensor()) {
    put_tensor_type(out, type.dtype(), type.shape(), type.place());
    return out;
  }
  if (const ExtensionType* extension = type.extension()) {
    return out << '!' << extension->name() << '<' << extension->body() << '>';
  }
  out << "vec<";
  for (size_t i = 0; i < type.elements().size(); ++i) out << (i ? ", " : "") << type.elements()[i];
  return out << '>';
}

}  // namespace paddle::pir

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Content comparison, conversion and printing of attributes.
#include "paddle_core/op/attribute.h"

#include <cmath>
#include <cstring>
#include <iomanip>
#include <ostream>

#include "paddle_core/shape/sym.h"

namespace paddle {

int64_t Attribute::to_int() const {
  switch (kind()) {
    case Kind::kBool:
      return std::get<bool>(data_);
    case Kind::kI32:
      return std::get<int32_t>(data_);
    case Kind::kI64:
      return std::get<int64_t>(data_);
    case Kind::kScalar:
      return std::get<Scalar>(data_).to_int();
    default:
      PADDLE_CHECK_VALUE(false, "program: attribute ", *this, " is no integer.");
      return 0;
  }
}

double Attribute::to_double() const {
  switch (kind()) {
    case Kind::kF32:
      return std::get<Float32>(data_).value;
    case Kind::kF64:
      return std::get<double>(data_);
    case Kind::kScalar:
      return std::get<Scalar>(data_).to_double();
    default:
      return static_cast<double>(to_int());
  }
}

Scalar Attribute::to_scalar() const {
  switch (kind()) {
    case Kind::kBool:
      return Scalar(std::get<bool>(data_));
    case Kind::kScalar:
      return std::get<Scalar>(data_);
    case Kind::kComplex:
      return Scalar(std::get<std::complex<double>>(data_));
    case Kind::kF32:
    case Kind::kF64:
      return Scalar(to_double());
    default:
      return Scalar(to_int());
  }
}

Shape Attribute::to_dims() const {
  if (is(Kind::kIntArray)) return std::get<Shape>(data_);
  Shape dims;
  for (const Attribute& a : get<AttributeArray>()) dims.push_back(Dim(a.to_int()));
  return dims;
}

bool operator==(const DenseValues& a, const DenseValues& b) {
  if (a.tensor.same_impl(b.tensor)) return true;
  if (a.tensor.dtype() != b.tensor.dtype() || !(a.tensor.shape() == b.tensor.shape())) return false;
  const size_t bytes = static_cast<size_t>(a.tensor.numel()) * size_of(a.tensor.dtype());
  return bytes == 0 || std::memcmp(a.tensor.raw_data(), b.tensor.raw_data(), bytes) == 0;
}

bool operator==(const Attribute& a, const Attribute& b) {
  if (a.kind() == Attribute::Kind::kF64 && b.kind() == Attribute::Kind::kF64) {
    return Float32{a.get<double>()} == Float32{b.get<double>()};
  }
  return a.data_ == b.data_;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

void put_tensor_type(std::ostream& out, DType dtype, const Shape& shape, Place place) {
  out << "tensor<";
  for (const Dim d : shape) out << d << 'x';
  out << name_of(dtype);
  if (!(place == Place())) out << ", " << quoted(place_text(place));
  out << '>';
}

namespace {

void put_double(std::ostream& out, double v) {
  if (std::isnan(v)) {
    out << "nan";
  } else if (std::isinf(v)) {
    out << (v > 0 ? "inf" : "-inf");
  } else {
    std::ostringstream text;
    text << std::setprecision(17) << v;
    const std::string s = text.str();
    out << s << (s.find_first_of(".e") == std::string::npos ? ".0" : "");
  }
}

void put_array(std::ostream& out, const AttributeArray& array) {
  out << '[';
  for (size_t i = 0; i < array.size(); ++i) out << (i ? ", " : "") << array[i];
  out << ']';
}

void put_dims(std::ostream& out, const Shape& dims) {
  out << "ints<";
  for (size_t i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  out << '>';
}

void put_scalar(std::ostream& out, const Scalar& s) {
  out << "scalar<";
  if (s.kind() == Scalar::Kind::kBool) {
    out << (s.to_bool() ? "true" : "false");
  } else if (s.kind() == Scalar::Kind::kInt) {
    out << s.to_int();
  } else if (s.kind() == Scalar::Kind::kFloat) {
    put_double(out, s.to_double());
  } else {
    put_double(out, s.to_complex().real());
    out << ", ";
    put_double(out, s.to_complex().imag());
  }
  out << '>';
}

template <typename T>
void put_elements(std::ostream& out, const Tensor& t) {
  const T* data = t.data<T>();
  for (int64_t i = 0; i < t.numel(); ++i) {
    if (i) out << ", ";
    if constexpr (std::is_same_v<T, bool>) {
      out << (data[i] ? "true" : "false");
    } else if constexpr (std::is_integral_v<T>) {
      out << static_cast<int64_t>(data[i]);
    } else {
      put_double(out, static_cast<double>(data[i]));
    }
  }
}

void put_dense(std::ostream& out, const Tensor& t) {
  out << "dense<";
  put_tensor_type(out, t.dtype(), t.shape(), t.place());
  out << ": [";
  if (t.numel() > DenseValues::kMaxPrintedElements) {
    out << "...]>";
    return;
  }
  switch (t.dtype()) {
    case DType::kBool:
      put_elements<bool>(out, t);
      break;
    case DType::kInt32:
      put_elements<int32_t>(out, t);
      break;
    case DType::kInt64:
      put_elements<int64_t>(out, t);
      break;
    case DType::kFloat32:
      put_elements<float>(out, t);
      break;
    case DType::kFloat64:
      put_elements<double>(out, t);
      break;
    default:
      out << "...";
  }
  out << "]>";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Attribute& attribute) {
  using Kind = Attribute::Kind;
  switch (attribute.kind()) {
    case Kind::kNone:
      out << "none";
      break;
    case Kind::kBool:
      out << (attribute.get<bool>() ? "true" : "false");
      break;
    case Kind::kI32:
      out << attribute.get<int32_t>() << ":i32";
      break;
    case Kind::kI64:
      out << attribute.get<int64_t>() << ":i64";
      break;
    case Kind::kF32:
      put_double(out, attribute.get<Float32>().value);
      out << ":f32";
      break;
    case Kind::kF64:
      put_double(out, attribute.get<double>());
      out << ":f64";
      break;
    case Kind::kString:
      out << quoted(attribute.get<std::string>());
      break;
    case Kind::kArray:
      put_array(out, attribute.get<AttributeArray>());
      break;
    case Kind::kDType:
      out << "dtype<" << name_of(attribute.get<DType>()) << '>';
      break;
    case Kind::kPlace: {
      const Place p = attribute.get<Place>();
      if (p.kind == DeviceKind::kUndefined || p.kind == DeviceKind::kCpu) {
        out << "place<" << static_cast<int>(p.kind) << ", " << p.index << '>';
      } else {
        out << "place<" << quoted(place_text(p)) << '>';
      }
      break;
    }
    case Kind::kIntArray:
      put_dims(out, attribute.get<Shape>());
      break;
    case Kind::kComplex: {
      const auto c = attribute.get<std::complex<double>>();
      out << "complex<";
      put_double(out, c.real());
      out << ", ";
      put_double(out, c.imag());
      out << '>';
      break;
    }
    case Kind::kScalar:
      put_scalar(out, attribute.get<Scalar>());
      break;
    case Kind::kDense:
      put_dense(out, attribute.get<DenseValues>().tensor);
      break;
  }
  return out;
}

}  // namespace paddle

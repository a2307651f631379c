// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The promotion lattice, as rules on kind and width.
#include "paddle_core/type/promotion.h"

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

DType promote_integers(DType a, DType b) {  // a <= b in the enum's order
  if (a != DType::kUInt8 || b == DType::kUInt8) return b;
  return b == DType::kInt8 ? DType::kInt16 : b;
}

DType promote_floats(DType a, DType b) {  // a < b in the enum's order
  // float16 holds both 8-bit forms exactly; float32 holds both 16-bit forms.
  if (is_float8(b)) return DType::kFloat16;
  if (a == DType::kFloat16 && b == DType::kBFloat16) return DType::kFloat32;
  return b;
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a > b) std::swap(a, b);
  PADDLE_CHECK_TYPE(a != DType::kUndefined,
                    "promote_types: a dtype is undefined; give tensors that have a dtype.");
  if (a == b || is_bool(a)) return b;
  if (is_integer(b)) return promote_integers(a, b);
  if (is_integer(a)) return b;
  if (is_complex(b)) {
    return a == DType::kFloat64 || a == DType::kComplex128 ? DType::kComplex128 : b;
  }
  return promote_floats(a, b);
}

DType promote_with_scalar(DType tensor, const Scalar& scalar, DType default_float) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return tensor;
    case Scalar::Kind::kInt:
      return is_bool(tensor) ? DType::kInt64 : tensor;
    case Scalar::Kind::kFloat:
      return is_bool(tensor) || is_integer(tensor) ? default_float : tensor;
    case Scalar::Kind::kComplex:
      break;
  }
  if (is_complex(tensor)) return tensor;
  return complex_of(is_floating(tensor) ? tensor : default_float);
}

}  // namespace paddle

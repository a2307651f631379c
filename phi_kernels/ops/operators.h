// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic operators on tensors, for gradient rules and decompositions: t * 2.0 + u.
#pragma once

#include "phi_kernels/ops/elementwise.h"

namespace paddle {

inline Tensor operator+(const Tensor& x, const Tensor& y) { return ops::add(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return ops::subtract(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return ops::multiply(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return ops::divide(x, y); }
inline Tensor operator-(const Tensor& x) { return ops::scale(x, Scalar(-1), Scalar(0), true); }

inline Tensor operator+(const Tensor& x, const Scalar& s) {
  return ops::scale(x, Scalar(1), s, true);
}
inline Tensor operator+(const Scalar& s, const Tensor& x) { return x + s; }
inline Tensor operator-(const Tensor& x, const Scalar& s) {
  if (s.is_integral()) return x + Scalar(-s.to_int());
  return x + Scalar(-s.to_complex().real());
}
inline Tensor operator-(const Scalar& s, const Tensor& x) {
  return ops::scale(x, Scalar(-1), s, true);
}
inline Tensor operator*(const Tensor& x, const Scalar& s) {
  return ops::scale(x, s, Scalar(0), true);
}
inline Tensor operator*(const Scalar& s, const Tensor& x) { return x * s; }
inline Tensor operator/(const Tensor& x, const Scalar& s) {
  return x * Scalar(1.0 / s.to_double());
}
inline Tensor operator/(const Scalar& s, const Tensor& x) { return ops::reciprocal(x) * s; }

}  // namespace paddle

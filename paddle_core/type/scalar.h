// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A number of the calling language: bool, int, float or complex. 24 bytes, trivially copyable.
#pragma once

#include <complex>
#include <cstdint>

#include "paddle_core/type/dtype.h"

namespace paddle {

class Scalar {
 public:
  enum class Kind : uint8_t { kBool, kInt, kFloat, kComplex };

  constexpr Scalar() : Scalar(int64_t{0}) {}
  constexpr Scalar(bool v) : kind_(Kind::kBool), int_(v) {}    // NOLINT
  constexpr Scalar(int v) : kind_(Kind::kInt), int_(v) {}      // NOLINT
  constexpr Scalar(int64_t v) : kind_(Kind::kInt), int_(v) {}  // NOLINT
  constexpr Scalar(double v) : kind_(Kind::kFloat), re_(v) {}  // NOLINT
  constexpr Scalar(std::complex<double> v)
      : kind_(Kind::kComplex), re_(v.real()), im_(v.imag()) {}  // NOLINT

  Kind kind() const { return kind_; }
  bool is_integral() const { return kind_ <= Kind::kInt; }
  int64_t to_int() const { return is_integral() ? int_ : static_cast<int64_t>(re_); }
  double to_double() const { return is_integral() ? static_cast<double>(int_) : re_; }
  bool to_bool() const { return is_integral() ? int_ != 0 : re_ != 0 || im_ != 0; }
  std::complex<double> to_complex() const { return {to_double(), im_}; }
  template <typename T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) {
      return to_bool();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(to_int());
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
      const auto c = to_complex();
      return T(static_cast<typename T::value_type>(c.real()),
               static_cast<typename T::value_type>(c.imag()));
    } else if constexpr (std::is_same_v<T, double>) {
      return to_double();
    } else {
      return T(static_cast<float>(to_double()));
    }
  }
  friend bool operator==(const Scalar& a, const Scalar& b) {
    return a.kind_ == b.kind_ && a.int_ == b.int_ && a.re_ == b.re_ && a.im_ == b.im_;
  }

 private:
  Kind kind_;
  int64_t int_ = 0;
  double re_ = 0, im_ = 0;
};

PADDLE_API std::ostream& operator<<(std::ostream& out, const Scalar& s);

}  // namespace paddle

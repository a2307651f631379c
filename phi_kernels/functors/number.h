// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the functions of this folder need of the numbers they are written in: float, or a number of
// another library that behaves like one and records what is done with it (Single). Integers beside
// floats have their width; they wrap.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#define PADDLE_MATH static inline __attribute__((always_inline, unused))

namespace paddle::math {

template <typename V>
concept Single = std::is_same_v<V, float> || requires {
  typename V::RecordsSingle;
};

PADDLE_MATH float select(bool condition, float yes, float no) { return condition ? yes : no; }
PADDLE_MATH int32_t select(bool condition, int32_t yes, int32_t no) { return condition ? yes : no; }
PADDLE_MATH int32_t bits_of(float x) { return std::bit_cast<int32_t>(x); }
PADDLE_MATH float from_bits(int32_t x) { return std::bit_cast<float>(x); }
PADDLE_MATH int32_t difference(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
PADDLE_MATH int32_t shifted_left(int32_t x, int places) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << places);
}
PADDLE_MATH int32_t shifted_right(int32_t x, int places) { return x >> places; }  // keeps the sign
PADDLE_MATH float to_float(int32_t x) { return static_cast<float>(x); }
PADDLE_MATH int32_t to_int(float x) { return static_cast<int32_t>(x); }
PADDLE_MATH double select(bool condition, double yes, double no) { return condition ? yes : no; }
PADDLE_MATH int64_t select(bool condition, int64_t yes, int64_t no) { return condition ? yes : no; }
PADDLE_MATH int64_t bits_of(double x) { return std::bit_cast<int64_t>(x); }
PADDLE_MATH double from_bits(int64_t x) { return std::bit_cast<double>(x); }
PADDLE_MATH int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
PADDLE_MATH int64_t shifted_left(int64_t x, int places) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) << places);
}
PADDLE_MATH int64_t shifted_right(int64_t x, int places) { return x >> places; }
PADDLE_MATH double widened(float x) { return static_cast<double>(x); }
PADDLE_MATH float narrowed(double x) { return static_cast<float>(x); }
PADDLE_MATH float absolute(float x) { return std::fabs(x); }
PADDLE_MATH float with_sign_of(float size, float sign) { return std::copysign(size, sign); }
PADDLE_MATH float fused(float a, float b, float c) { return std::fma(a, b, c); }
PADDLE_MATH float square_root(float x) { return std::sqrt(x); }
PADDLE_MATH float rounded_down(float x) { return std::floor(x); }
PADDLE_MATH double absolute(double x) { return std::fabs(x); }
PADDLE_MATH double with_sign_of(double size, double sign) { return std::copysign(size, sign); }
PADDLE_MATH double fused(double a, double b, double c) { return std::fma(a, b, c); }
PADDLE_MATH double square_root(double x) { return std::sqrt(x); }
PADDLE_MATH double rounded_down(double x) { return std::floor(x); }
PADDLE_MATH double rounded_to_zero(double x) { return std::trunc(x); }

}  // namespace paddle::math

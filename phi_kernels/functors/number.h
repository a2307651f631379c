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
PADDLE_MATH float absolute(float x) { return std::fabs(x); }
PADDLE_MATH float with_sign_of(float size, float sign) { return std::copysign(size, sign); }
PADDLE_MATH float fused(float a, float b, float c) { return std::fma(a, b, c); }
PADDLE_MATH float square_root(float x) { return std::sqrt(x); }

}  // namespace paddle::math

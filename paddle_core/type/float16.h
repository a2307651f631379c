// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Storage types for 16-bit and 8-bit floats. They convert to and from float (round to nearest,
// ties to even) and do no arithmetic of their own: kernels compute in float.
// float8_e4m3 is the "fn" form (no infinities, S.1111.111 is NaN, largest 448, OCP 8-bit
// floating point specification); float8_e5m2 has infinities.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace paddle {

struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float value) {
    const uint32_t u = std::bit_cast<uint32_t>(value);
    // NaN keeps its sign and becomes quiet; the rounding add could carry it into infinity.
    bits = value != value ? static_cast<uint16_t>((u >> 16) | 0x40u)
                          : static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  operator float() const {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

struct float16 {
  uint16_t bits = 0;
  float16() = default;
  explicit float16(float value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
  operator float() const {  // NOLINT(google-explicit-constructor)
    return static_cast<float>(std::bit_cast<_Float16>(bits));
  }
};

namespace detail {

// Rounds |value| to a float with kMantissa bits whose smallest normal exponent is kMinExponent,
// and packs it behind the sign bit. No range handling.
template <int kMantissa, int kBias>
inline uint8_t pack_float8(float magnitude) {
  if (magnitude == 0) return 0;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
  int scale = exponent - 1;
  if (scale < 1 - kBias) scale = 1 - kBias;
  const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, kMantissa - scale)));
  // A carry out of the mantissa lands in the exponent, as it should.
  return static_cast<uint8_t>(((scale + kBias - 1) << kMantissa) + units);
}

template <int kMantissa, int kBias>
inline float unpack_float8(uint8_t bits) {
  const int exponent = (bits & 0x7f) >> kMantissa, mantissa = bits & ((1 << kMantissa) - 1);
  const float value = exponent == 0
                          ? std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissa)
                          : std::ldexp(static_cast<float>(mantissa + (1 << kMantissa)),
                                       exponent - kBias - kMantissa);
  return bits & 0x80 ? -value : value;
}

}  // namespace detail

struct float8_e4m3 {
  uint8_t bits = 0;
  float8_e4m3() = default;
  explicit float8_e4m3(float value) {
    const uint8_t sign = std::signbit(value) ? 0x80 : 0;
    const float magnitude = std::fabs(value);
    // 464 is halfway between 448 and the next step; above it (and NaN) there is only NaN.
    bits = sign | (magnitude <= 464.0f ? detail::pack_float8<3, 7>(magnitude) : uint8_t{0x7f});
  }
  operator float() const {  // NOLINT(google-explicit-constructor)
    if ((bits & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
    return detail::unpack_float8<3, 7>(bits);
  }
};

struct float8_e5m2 {
  uint8_t bits = 0;
  float8_e5m2() = default;
  explicit float8_e5m2(float value) {
    const uint8_t sign = std::signbit(value) ? 0x80 : 0;
    const float magnitude = std::fabs(value);
    bits = sign | (value != value          ? uint8_t{0x7f}
                   : magnitude >= 61440.0f ? uint8_t{0x7c}
                                           : detail::pack_float8<2, 15>(magnitude));
  }
  operator float() const {  // NOLINT(google-explicit-constructor)
    const uint8_t magnitude = bits & 0x7f;
    if (magnitude > 0x7c) return std::numeric_limits<float>::quiet_NaN();
    if (magnitude == 0x7c) {
      return bits & 0x80 ? -std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::infinity();
    }
    return detail::unpack_float8<2, 15>(bits);
  }
};

}  // namespace paddle

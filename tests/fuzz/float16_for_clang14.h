// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// _Float16 for the clang of Debian 12, which has the type only on machines with AVX512-FP16: a
// class that converts in software. Included before everything else when a fuzz target is compiled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace paddle::fuzz {

struct Half {
  uint16_t bits;
  Half() = default;
  explicit Half(float value) : bits(0) {
    const float magnitude = std::fabs(value);
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    if (std::isnan(value)) {
      bits = sign | 0x7e00;
    } else if (magnitude >= 65520.0f) {
      bits = sign | 0x7c00;
    } else if (magnitude > 0) {
      int exponent = 0;
      std::frexp(magnitude, &exponent);
      const int step = std::max(exponent - 11, -24);
      const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
      bits = static_cast<uint16_t>(sign | (static_cast<uint32_t>(step + 24) * 1024 + steps));
    } else {
      bits = sign;
    }
  }
  operator float() const {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    float v = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                             : std::ldexp(static_cast<float>(fraction), -24);
    return bits & 0x8000 ? -v : v;
  }
};

}  // namespace paddle::fuzz

#define _Float16 ::paddle::fuzz::Half

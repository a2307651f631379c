// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the compiler calls to convert single values of _Float16 where the instruction set that a
// file is compiled for lacks them. Its own support library takes the numbers apart bit by bit;
// inside this library these definitions stand in its place. F16C comes with AVX2, the least that
// the kernels run on.
#include <bit>
#include <cstdint>

#include <immintrin.h>

extern "C" {

__attribute__((target("f16c"), visibility("hidden"))) float __extendhfsf2(_Float16 value) {
  return _cvtsh_ss(std::bit_cast<uint16_t>(value));
}

__attribute__((target("f16c"), visibility("hidden"))) _Float16 __truncsfhf2(float value) {
  return std::bit_cast<_Float16>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
}
}

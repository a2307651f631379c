// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The types in which kernels compute with elements of a type: as they are, as floats, in sums.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "paddle_core/type/float16.h"

namespace paddle {

template <typename T>
inline constexpr bool kIs16BitFloat = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

// The type itself; float for the 16-bit floats, which have no arithmetic of their own.
template <typename T>
using ArithmeticType = std::conditional_t<kIs16BitFloat<T>, float, T>;

// double for double, float for all others.
template <typename T>
using FloatType = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Sums. Narrow: of a block, in lanes; Wide: of blocks.
template <typename T>
struct SumTypes {
  using Narrow = std::conditional_t<std::is_integral_v<T>, int64_t, ArithmeticType<T>>;
  using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
};
template <typename T>
struct SumTypes<std::complex<T>> {
  using Narrow = std::complex<T>;
  using Wide = std::complex<double>;
};

}  // namespace paddle

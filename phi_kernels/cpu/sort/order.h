// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The order of values that all sorting and searching kernels share: NaN is the largest value and
// equal to itself. 16-bit floats are compared as float.
#pragma once

#include <type_traits>

#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {

template <typename T>
using OrderKey = ArithmeticType<T>;

// True when a stands before b in ascending order.
template <typename V>
bool ordered_before(V a, V b) {
  if constexpr (std::is_floating_point_v<V>) {
    if (a != a) return false;
    if (b != b) return true;
  }
  return a < b;
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What reductions reduce by: where they start, what is taken of an element, how two values combine.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "phi_kernels/functors/computing_types.h"

namespace paddle {

template <typename T>
struct Sum {
  template <typename U>
  using Of = Sum<U>;
  using In = T;
  using Narrow = typename SumTypes<T>::Narrow;
  using Wide = typename SumTypes<T>::Wide;
  static Narrow start() { return Narrow(0); }
  static Narrow load(T v) { return Narrow(v); }
  template <typename A>
  static A step(A a, A b) {
    return a + b;
  }
};

// A sum in which NaN counts as 0.
template <typename T>
struct NanSum : Sum<T> {
  template <typename U>
  using Of = NanSum<U>;
  using Narrow = typename Sum<T>::Narrow;
  static Narrow load(T v) {
    const Narrow n = Narrow(v);
    return n == n ? n : Narrow(0);
  }
};

template <typename T>
struct SquareSum : Sum<T> {
  template <typename U>
  using Of = SquareSum<U>;
  using Narrow = typename Sum<T>::Narrow;
  static Narrow load(T v) { return Narrow(v) * Narrow(v); }
};

template <typename T>
struct Prod : Sum<T> {
  template <typename U>
  using Of = Prod<U>;
  using Narrow = typename Sum<T>::Wide;
  static Narrow start() { return Narrow(1); }
  static Narrow load(T v) { return Narrow(v); }
  template <typename A>
  static A step(A a, A b) {
    if constexpr (std::is_integral_v<A>) {  // wraps
      using U = std::make_unsigned_t<A>;
      return static_cast<A>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};

template <typename T>
struct Order {
  using In = T;
  using Narrow = ArithmeticType<T>;
  using Wide = Narrow;
  static Narrow load(T v) { return Narrow(v); }
};

template <typename T>
struct Max : Order<T> {
  template <typename U>
  using Of = Max<U>;
  using Narrow = typename Order<T>::Narrow;
  static Narrow start() {
    if constexpr (std::numeric_limits<Narrow>::has_infinity)
      return -std::numeric_limits<Narrow>::infinity();
    return std::numeric_limits<Narrow>::lowest();
  }
  static Narrow step(Narrow a, Narrow b) { return (b > a) | (b != b) ? b : a; }
};

template <typename T>
struct Min : Order<T> {
  template <typename U>
  using Of = Min<U>;
  using Narrow = typename Order<T>::Narrow;
  static Narrow start() {
    if constexpr (std::numeric_limits<Narrow>::has_infinity)
      return std::numeric_limits<Narrow>::infinity();
    return std::numeric_limits<Narrow>::max();
  }
  static Narrow step(Narrow a, Narrow b) { return (b < a) | (b != b) ? b : a; }
};

template <typename T>
struct Any {
  using In = T;
  using Narrow = uint8_t;
  using Wide = uint8_t;
  static Narrow start() { return 0; }
  static Narrow load(T v) { return v != T(0.0f); }
  static Narrow step(Narrow a, Narrow b) { return static_cast<uint8_t>(a | b); }
};

template <typename T>
struct All : Any<T> {
  static uint8_t start() { return 1; }
  static uint8_t step(uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & b); }
};

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Integer rules that several operators share (paddle_core/op/integers.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "paddle_core/op/integers.h"

namespace paddle::integers {

// Lists longer than this are data, not extents.
constexpr int64_t kMaxCount = 64;

// The elements of argument 0, in their order.
inline Integers same_as_x(const IntegerArgs& a) { return a.integers(0); }

// Elementwise, of two lists of one length, or of a list and one number.
template <std::optional<Dim> (*combine)(Dim, Dim)>
Integers combined(const IntegerArgs& a) {
  const Integers x = a.integers(0), y = a.integers(1);
  if (!x || !y || (x->size() != y->size() && x->size() != 1 && y->size() != 1)) return std::nullopt;
  Shape out;
  for (size_t i = 0; i < std::max(x->size(), y->size()); ++i) {
    const std::optional<Dim> d =
        combine((*x)[x->size() == 1 ? 0 : i], (*y)[y->size() == 1 ? 0 : i]);
    if (!d) return std::nullopt;
    out.push_back(*d);
  }
  return out;
}
inline std::optional<Dim> sum(Dim x, Dim y) { return x + y; }
inline std::optional<Dim> difference(Dim x, Dim y) { return x - y; }
inline std::optional<Dim> product(Dim x, Dim y) { return x * y; }
// Extents divide by known positive numbers only.
inline std::optional<Dim> quotient(Dim x, Dim y) {
  if (y.is_symbolic() || y.value() <= 0) return std::nullopt;
  return floordiv(x, y);
}
inline std::optional<Dim> remainder(Dim x, Dim y) {
  if (y.is_symbolic() || y.value() <= 0) return std::nullopt;
  return mod(x, y);
}

// factor * x + added, or factor * (x + added), for whole numbers.
inline Integers affine(const Integers& x, double factor, double added, bool added_last = true) {
  const auto whole = [](double v) { return v == std::floor(v) && std::abs(v) < 1e9; };
  if (!x || !whole(factor) || !whole(added)) return std::nullopt;
  const Dim times(static_cast<int64_t>(factor)), plus(static_cast<int64_t>(added));
  Shape out;
  for (const Dim d : *x) out.push_back(added_last ? d * times + plus : (d + plus) * times);
  return out;
}

}  // namespace paddle::integers

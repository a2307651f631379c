// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole quotients of floats, what they leave, and neighbours of floats, branch-free as in math.h.
// std::fma must be an instruction.
#pragma once

#include <limits>

#include "phi_kernels/functors/number.h"

namespace paddle::math {

// floor(x / y) of the exact quotient: where the division rounds up to the next whole number, the
// rest is on the other side of zero. The quotient by an infinity is -1 where the signs differ; that
// of an infinity has no rest and is NaN.
template <typename V>
PADDLE_MATH V floor_quotient(V x, V y) {
  const V q = rounded_down(x / y), zero = V(0.0f);
  const V rest = select(q == zero, x, fused(-q, y, x));
  const auto above = ((y > zero) & (rest < zero)) | ((y < zero) & (rest > zero));
  const V whole = select(above, q - V(1.0f), q);
  const auto infinite = absolute(x) == V(std::numeric_limits<float>::infinity());
  return select(infinite & (y != zero), V(std::numeric_limits<float>::quiet_NaN()), whole);
}

// The neighbour of x towards y: the bits of floats are ordered as the floats are. `smallest` is the
// least positive number.
template <typename V>
PADDLE_MATH V next_towards(V x, V y, V smallest) {
  const V zero = V(0.0f);
  const auto away = (y > x) == (x > zero);
  // Where x is 0 or NaN the result is chosen below, and its bits may be the last integer.
  const auto bits = bits_of(select((x == x) & (x != zero), x, V(1.0f)));
  const V stepped = from_bits(select(away, bits + 1, bits - 1));
  const V moved = select(x == zero, with_sign_of(smallest, y), stepped);
  const V value = select(x == y, y, moved);
  return select((x == x) & (y == y), value, x + y);
}
PADDLE_MATH float next_towards(float x, float y) {
  return next_towards(x, y, std::numeric_limits<float>::denorm_min());
}
PADDLE_MATH double next_towards(double x, double y) {
  return next_towards(x, y, std::numeric_limits<double>::denorm_min());
}

// The remainder with the sign of y, for few_multiples(x, y): |x / y| below 2^28. The quotient, and
// x less the multiple, are exact in double.
template <Single V>
PADDLE_MATH auto few_multiples(V x, V y) {
  const V size = absolute(y);
  return (absolute(x) < size * 0x1p28f) & (size < 1e38f) & (size > 0.0f);
}
template <Single V>
PADDLE_MATH V remainder_of_few(V x, V y) {
  const auto wide_x = widened(x), wide_y = widened(y);
  const auto q = rounded_to_zero(wide_x / wide_y);
  const V r = narrowed(fused(-q, wide_y, wide_x));
  const V moved = select((r < 0.0f) != (y < 0.0f), r + y, r);
  return select(r != 0.0f, moved, with_sign_of(r, x));
}

// The same of doubles, |x / y| below 2^52: the quotient is at most one too large, and fma leaves
// what it misses exactly.
template <typename W>
PADDLE_MATH auto wide_few_multiples(W x, W y) {
  const W size = absolute(y);
  return (absolute(x) < size * 0x1p52) & (size < 1e300) & (size > 1e-290);
}
template <typename W>
PADDLE_MATH W wide_remainder_of_few(W x, W y) {
  const W q = rounded_to_zero(x / y);
  const W part = fused(-q, y, x);
  const W size = absolute(y), side = with_sign_of(W(1.0), x);
  const W back = part + side * size;  // has the sign of x again
  const W r = select(part * side < 0.0, back, part);
  const W moved = select(r * with_sign_of(W(1.0), y) < 0.0, r + y, r);
  return select(r != 0.0, moved, with_sign_of(r, x));
}

}  // namespace paddle::math

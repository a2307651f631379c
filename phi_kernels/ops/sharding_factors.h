// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the sharding rules are written with: arguments by name, and factors that run through the
// same dimension of several tensors.
#pragma once

#include <initializer_list>
#include <span>

#include "paddle_core/op/spmd.h"

namespace paddle::ops::sharding {

inline int64_t normalised(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }
inline Dim extent_of(const Shape& shape, int64_t dim) { return shape[static_cast<size_t>(dim)]; }

// An integer, also where the schema takes any number.
inline int64_t number(const Spmd& s, int arg) {
  const Slot& slot = s.slot(arg);
  return slot.kind == SlotKind::kScalar ? slot.scalar->to_int() : s.i(arg);
}

inline int position(const Spmd& s, const char* name) { return s.op().schema().arg_index(name); }
// The axis of argument 0 that an argument names.
inline int64_t axis_of(const Spmd& s, const char* name) {
  return normalised(number(s, position(s, name)), s.ndim(0));
}
// Whether the operator has the argument and it is true.
inline bool is_set(const Spmd& s, const char* name) {
  const int at = position(s, name);
  return at >= 0 && s.b(at);
}
inline bool among(std::span<const int64_t> axes, int64_t dim) {
  for (const int64_t axis : axes) {
    if (axis == dim) return true;
  }
  return false;
}

// Dimension `from` of argument 0 is dimension `to` of result 0; the factor that runs through both.
inline int passes(Spmd& s, int64_t from, int64_t to) {
  const int f = s.factor(extent_of(s.shape(0), from).value());
  s.operand(0, from, f).result(0, to, f);
  return f;
}

// All dimensions of argument 0 but the given axes. Another tensor has them at the same places, or
// without the axes. Where one has another extent, as a tensor that broadcasts, the dimension is
// whole.
void all_but(Spmd& s, std::span<const int64_t> axes);
inline void all_but(Spmd& s, std::initializer_list<int64_t> axes) {
  all_but(s, std::span<const int64_t>(axes.begin(), axes.size()));
}
// The first `count` dimensions of all tensors but the arguments that are named. A result without
// elements stands for one that was not asked for.
void leading(Spmd& s, int64_t count, std::initializer_list<int> whole = {});
// One dimension of every tensor.
void along_all(Spmd& s, int64_t dim);

}  // namespace paddle::ops::sharding

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sharding rules of reads and writes by position: the dimensions that no index names, and those of
// the indices themselves where they are read with. A part cannot be told where it begins in the
// whole, so the dimension that indices name is whole.
#include "phi_kernels/ops/sharding_factors.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops::sharding {
namespace {

// Axes of x that an index list names: a mask names as many as it has.
int64_t named_axes(const Spmd& s, int arg) {
  const Slot& slot = s.slot(arg);
  int64_t axes = 0;
  for (uint32_t i = 0; i < slot.count; ++i) {
    const Tensor& t = slot.list[i];
    axes += t.dtype() == DType::kBool ? t.ndim() : 1;
  }
  return axes;
}

// The dimensions of x from `first` on are those of result 0 and the last ones of `other`.
void trailing(Spmd& s, int64_t first, int other) {
  const int64_t rank = s.ndim(0), own = s.ndim(other);
  for (int64_t d = first; d < rank; ++d) {
    const int f = passes(s, d, d);
    const int64_t at = d - (rank - own);
    if (at >= 0 && extent_of(s.shape(other), at) == extent_of(s.shape(0), d)) {
      s.operand(other, at, f);
    }
  }
}

}  // namespace

void gather(Spmd& s) {
  const int64_t axis = axis_of(s, "axis");
  const int64_t shift = s.out_ndim(0) - s.ndim(0);  // an index without axes takes one away
  for (int64_t d = 0; d < s.ndim(0); ++d) {
    if (d != axis) passes(s, d, d < axis ? d : d + shift);
  }
  if (shift == 0) {
    const int f = s.factor(extent_of(s.out_shape(0), axis).value());
    s.operand(1, 0, f).result(0, axis, f);
  }
  s.linear({0});
}

void gather_nd(Spmd& s) {
  const int64_t rank = s.ndim(1) - 1, named = s.shape(1).back().value();
  for (int64_t d = 0; d < rank; ++d) {
    const int f = s.factor(extent_of(s.shape(1), d).value());
    s.operand(1, d, f).result(0, d, f);
  }
  for (int64_t d = named; d < s.ndim(0); ++d) passes(s, d, rank + d - named);
  s.linear({0});
}

void take_along_axis(Spmd& s) {
  const int64_t axis = axis_of(s, "axis");
  all_but(s, {axis});
  const int f = s.factor(extent_of(s.shape(1), axis).value());
  s.operand(1, axis, f).result(0, axis, f);
  s.linear({0});
}

void index_add(Spmd& s) {
  const int64_t axis = axis_of(s, "axis");
  for (int64_t d = 0; d < s.ndim(0); ++d) {
    if (d != axis) s.operand(2, d, passes(s, d, d));
  }
  s.linear({0, 2});
}

void scatter_nd_add(Spmd& s) {
  trailing(s, s.shape(1).back().value(), 2);
  s.linear({0, 2});
}

void index_put(Spmd& s) {
  trailing(s, named_axes(s, 1), 2);
  s.linear({0, 2});
}

void put_along_axis(Spmd& s) {
  all_but(s, {axis_of(s, "axis")});
  const std::string_view how = s.text(position(s, "reduce"));
  if (how == "assign" || (how == "add" && s.b(position(s, "include_self")))) s.linear({0, 2});
}

void searchsorted(Spmd& s) {
  const int64_t rank = s.ndim(1);
  for (int64_t d = 0; d < rank; ++d) {
    const int f = s.factor(extent_of(s.shape(1), d).value());
    s.operand(1, d, f).result(0, d, f);
    if (s.ndim(0) == rank && rank > 1 && d + 1 < rank) s.operand(0, d, f);
  }
}

// Heads of a cache: one tensor of keys and one of values, or both in one.
void paged_cache_write(Spmd& s) {
  const int64_t at = s.has(2) ? 2 : 1;
  const int f = passes(s, at, at);
  s.operand(1, 1, f).operand(2, 1, f);
}

}  // namespace paddle::ops::sharding

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sharding rules of operators that look along some axes and leave the others alone: scans, sorts,
// transforms, matrices in the last two dimensions, views.
#include <algorithm>

#include "phi_kernels/ops/sharding_factors.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops::sharding {
namespace {

int64_t rank_of(const TensorImpl* t) { return static_cast<int64_t>(t->shape.size()); }

void all_except(Spmd& s, const Shape& axes) {
  SmallVector<int64_t, 5> named;
  for (const Dim axis : axes) named.push_back(normalised(axis.value(), s.ndim(0)));
  all_but(s, {named.data(), named.size()});
}

}  // namespace

void all_but(Spmd& s, std::span<const int64_t> axes) {
  const int64_t rank = s.ndim(0), fewer = rank - static_cast<int64_t>(axes.size());
  for (int64_t d = 0; d < rank; ++d) {
    if (among(axes, d)) continue;
    const Dim extent = extent_of(s.shape(0), d);
    const int64_t before = std::count_if(axes.begin(), axes.end(), [&](auto a) { return a < d; });
    const auto place = [&](const TensorImpl* t) -> int64_t {
      return rank_of(t) == rank ? d : rank_of(t) == fewer ? d - before : -1;
    };
    const auto fits = [&](const TensorImpl* t) {
      return !t || place(t) < 0 || extent_of(t->shape, place(t)) == extent;
    };
    bool all = true;
    for (const Spmd::Operand& o : s.operands()) all &= fits(o.tensor);
    for (const Spmd::Result& r : s.results()) all &= fits(r.tensor);
    if (!all) continue;
    const int f = s.factor(extent.value());
    for (Spmd::Operand& o : s.operands()) {
      if (place(o.tensor) >= 0) o.factors[static_cast<size_t>(place(o.tensor))] = f;
    }
    for (size_t r = 0; r < s.num_results(); ++r) {
      if (!s.has_result(r)) continue;
      const int64_t at = place(s.results()[r].tensor);
      if (at >= 0) s.result(static_cast<int>(r), at, f);
    }
  }
}

void leading(Spmd& s, int64_t count, std::initializer_list<int> whole) {
  const auto is_whole = [&](int arg) {
    return std::find(whole.begin(), whole.end(), arg) != whole.end();
  };
  const auto absent = [](const TensorImpl* t) {
    return !t || (t->shape.size() == 1 && t->shape[0] == Dim(0));
  };
  for (int64_t d = 0; d < count; ++d) {
    const Dim extent = extent_of(s.shape(0), d);
    const auto fits = [&](const TensorImpl* t) {
      return rank_of(t) > d && extent_of(t->shape, d) == extent;
    };
    bool all = true;
    for (const Spmd::Operand& o : s.operands()) all &= is_whole(o.arg) || fits(o.tensor);
    for (const Spmd::Result& r : s.results()) all &= absent(r.tensor) || fits(r.tensor);
    if (!all) continue;
    const int f = s.factor(extent.value());
    for (Spmd::Operand& o : s.operands()) {
      if (!is_whole(o.arg)) o.factors[static_cast<size_t>(d)] = f;
    }
    for (size_t r = 0; r < s.num_results(); ++r) {
      if (!s.has_result(r)) continue;
      if (absent(s.results()[r].tensor)) {
        s.independent(static_cast<int>(r));
      } else {
        s.result(static_cast<int>(r), d, f);
      }
    }
  }
}

void along_all(Spmd& s, int64_t dim) {
  const int f = s.factor(extent_of(s.shape(0), dim).value());
  for (Spmd::Operand& o : s.operands()) o.factors[static_cast<size_t>(dim)] = f;
  for (size_t r = 0; r < s.num_results(); ++r) s.result(static_cast<int>(r), dim, f);
}

void one_axis(Spmd& s) {
  if (s.ndim(0) == 0 || is_set(s, "flatten")) return;
  all_but(s, {axis_of(s, position(s, "axis") >= 0 ? "axis" : "dim")});
}

void running_sum(Spmd& s) {
  one_axis(s);
  s.linear({0});
}

void recurrence(Spmd& s) {
  one_axis(s);
  s.linear({1});
}

void rows(Spmd& s) {
  if (s.ndim(0) > 0) all_but(s, {s.ndim(0) - 1});
}

void every_dim(Spmd& s) { all_but(s, std::initializer_list<int64_t>{}); }

void samples(Spmd& s) { leading(s, 1); }

void matrices(Spmd& s) { leading(s, s.ndim(0) - 2); }
void triangle(Spmd& s) {
  matrices(s);
  const int64_t rank = s.ndim(0);
  const int at = position(s, "diagonal");
  s.shifted_argument(at, passes(s, rank - 2, rank - 2), 1);
  s.shifted_argument(at, passes(s, rank - 1, rank - 1), -1);
  s.linear({0});
}
void equations(Spmd& s) {
  matrices(s);
  s.linear({1});
}
void log_determinants(Spmd& s) {  // signs and logarithms in front
  for (int64_t d = 0; d + 2 < s.ndim(0); ++d) passes(s, d, d + 1);
}

void fourier(Spmd& s) {
  all_except(s, s.ints(position(s, "axes")));
  s.linear({0});
}

void strided_slice(Spmd& s) {
  all_except(s, s.ints(1));
  s.moves_values();
}

void slice_scatter(Spmd& s) {
  const Shape axes = s.ints(2);
  const int64_t rank = s.ndim(0), own = s.ndim(1);
  for (int64_t d = 0; d < rank; ++d) {
    const bool cut = std::any_of(axes.begin(), axes.end(),
                                 [&](Dim a) { return normalised(a.value(), rank) == d; });
    if (cut) continue;
    const int f = passes(s, d, d);
    const int64_t at = d - (rank - own);  // value broadcasts
    if (at >= 0 && extent_of(s.shape(1), at) == extent_of(s.shape(0), d)) s.operand(1, at, f);
  }
  s.linear({0, 1});
}

namespace {

// Every dimension of the two but a plane of the first, which is one dimension of the second.
void planes(Spmd& s, const char* first, const char* second, bool writes) {
  const int64_t a = axis_of(s, first), b = axis_of(s, second);
  int64_t at = 0;
  for (int64_t d = 0; d < s.ndim(0); ++d) {
    if (d == a || d == b) continue;
    const int f = passes(s, d, writes ? d : at);
    if (writes && at < s.ndim(1) && extent_of(s.shape(1), at) == extent_of(s.shape(0), d)) {
      s.operand(1, at, f);
    }
    ++at;
  }
}

}  // namespace

void diagonal(Spmd& s) {
  planes(s, "axis1", "axis2", false);
  s.moves_values();
}
void fill_diagonal_tensor(Spmd& s) {
  planes(s, "dim1", "dim2", true);
  s.linear({0, 1});
}

void fill_diagonal(Spmd& s) {
  const int at = position(s, "offset");
  const bool tall = extent_of(s.shape(0), 0).value() > extent_of(s.shape(0), 1).value();
  // Where the diagonal begins anew depends on the number of rows.
  if (s.ndim(0) != 2 || s.i(at) < 0 || (tall && s.b(position(s, "wrap")))) return;
  s.shifted_argument(at, passes(s, 0, 0), 1);
}

void windows_of_axis(Spmd& s) {
  const int64_t axis = axis_of(s, "axis");
  for (int64_t d = 0; d < s.ndim(0); ++d) {
    if (d != axis) passes(s, d, d);
  }
  s.moves_values();
}

void bytes_as_dtype(Spmd& s) {
  for (int64_t d = 0; d < s.ndim(0); ++d) {
    if (s.ndim(0) == s.out_ndim(0) && extent_of(s.shape(0), d) == extent_of(s.out_shape(0), d)) {
      passes(s, d, d);
    }
  }
}

void frame(Spmd& s) {
  const bool front = s.i(position(s, "axis")) == 0;
  for (int64_t d = 0; d + 1 < s.ndim(0); ++d) passes(s, front ? d + 1 : d, front ? d + 2 : d);
  s.linear({0});
}
void overlap_add(Spmd& s) {
  const bool front = s.i(position(s, "axis")) == 0;
  for (int64_t d = 0; d + 2 < s.ndim(0); ++d) passes(s, front ? d + 2 : d, front ? d + 1 : d);
  s.linear({0});
}

void batch_of_sequences(Spmd& s) { along_all(s, 1); }

void counts_of_values(Spmd& s) {
  const bool has_range = s.f(position(s, "min")) != s.f(position(s, "max"));
  if (!has_range || s.b(position(s, "density"))) return;  // needs the extremes or the number of all
  for (int64_t d = 0; d < s.ndim(0); ++d) {
    const int f = s.factor(extent_of(s.shape(0), d).value());
    s.reduces(f, ReduceKind::kSum).operand(0, d, f);
    if (s.has(1) && s.ndim(1) == s.ndim(0)) s.operand(1, d, f);
  }
}

void shapes(Spmd& s) {
  for (size_t r = 0; r < s.num_results(); ++r) s.independent(static_cast<int>(r));
}

void drawn_rows(Spmd& s) { leading(s, s.ndim(0) - 1); }
void drawn_evenly(Spmd& s) {
  if (s.i(position(s, "diag_num")) <= 0) every_dim(s);  // a diagonal is one of the whole
}

}  // namespace paddle::ops::sharding

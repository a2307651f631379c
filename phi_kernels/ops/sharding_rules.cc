// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "phi_kernels/ops/sharding_rules.h"

#include <algorithm>
#include <numeric>

#include "paddle_core/type/block_format.h"
#include "phi_kernels/ops/sharding_factors.h"

namespace paddle::ops::sharding {
namespace {

// One factor along the same dimension of every tensor of the call.
void same_dim(Spmd& s, int64_t operand_dim, int64_t result_dim, int64_t extent) {
  const int f = s.factor(extent);
  for (Spmd::Operand& o : s.operands()) o.factors[static_cast<size_t>(operand_dim)] = f;
  for (size_t r = 0; r < s.num_results(); ++r) s.result(static_cast<int>(r), result_dim, f);
}

// Groups of dimensions of both shapes with equal products: their first dimensions are one factor,
// split into equal parts unless both are whole groups.
void match_groups(Spmd& s) {
  const Shape &x = s.shape(0), &out = s.out_shape(0);
  size_t i = 0, j = 0;
  while (i < x.size() && j < out.size()) {
    if (x[i] == Dim(1)) {
      ++i;
      continue;
    }
    if (out[j] == Dim(1)) {
      ++j;
      continue;
    }
    const size_t first = i, to = j;
    int64_t left = x[i++].value(), right = out[j++].value();
    if (left == 0 || right == 0) return;
    while (left != right) {
      if (left < right && i < x.size()) {
        left *= x[i++].value();
      } else if (right < left && j < out.size()) {
        right *= out[j++].value();
      } else {
        return;
      }
    }
    const bool same = i == first + 1 && j == to + 1;
    const int64_t extent = std::gcd(x[first].value(), out[to].value());
    const int f = s.factor(extent);
    if (!same) s.even(f);
    s.operand(0, static_cast<int64_t>(first), f).result(0, static_cast<int64_t>(to), f);
  }
}

}  // namespace

void sum_of_two(Spmd& s) {
  s.broadcast();
  s.linear({0, 1});
}
void product(Spmd& s) {
  s.broadcast();
  s.linear({0}).linear({1});
}
void quotient(Spmd& s) {
  s.broadcast();
  s.linear({0});
}
void copy(Spmd& s) {
  s.broadcast();
  s.moves_values();
}
void scale(Spmd& s) {
  s.broadcast();
  const Slot& bias = s.slot(2);
  if (bias.kind == SlotKind::kScalar && bias.scalar->to_complex() == std::complex<double>()) {
    s.linear({0});
  }
}
void filled(Spmd& s) { s.broadcast(); }
void update(Spmd& s) {
  // Lazy updates look at whole rows.
  const int lazy = s.op().schema().arg_index("lazy_mode");
  if (lazy < 0 || !s.b(lazy)) s.broadcast();
}

void sum(Spmd& s) {
  s.reduction(ReduceKind::kSum);
  s.linear({0});
}
void max(Spmd& s) { s.reduction(ReduceKind::kMax); }
void min(Spmd& s) { s.reduction(ReduceKind::kMin); }
void prod(Spmd& s) { s.reduction(ReduceKind::kProd); }
void any(Spmd& s) { s.reduction(ReduceKind::kAny); }
void all(Spmd& s) { s.reduction(ReduceKind::kAll); }

void matmul(Spmd& s) {
  const int64_t nx = s.ndim(0), ny = s.ndim(1);
  const bool tx = s.b(2) && nx > 1, ty = s.b(3) && ny > 1;
  const int64_t m_at = tx ? nx - 1 : nx - 2, kx_at = tx ? nx - 2 : nx - 1;
  const int64_t ky_at = ny == 1 ? 0 : ty ? ny - 1 : ny - 2, n_at = ty ? ny - 2 : ny - 1;
  const int k = s.factor(s.shape(0)[static_cast<size_t>(kx_at)].value());
  s.reduces(k, ReduceKind::kSum).operand(0, kx_at, k).operand(1, ky_at, k);
  int64_t at = s.out_ndim(0);  // result dimensions from the right
  if (ny > 1) {
    const int n = s.factor(s.shape(1)[static_cast<size_t>(n_at)].value());
    s.operand(1, n_at, n).result(0, --at, n);
  }
  if (nx > 1) {
    const int m = s.factor(s.shape(0)[static_cast<size_t>(m_at)].value());
    s.operand(0, m_at, m).result(0, --at, m);
  }
  for (int64_t d = 1; at > 0; ++d) {  // batches
    const Dim extent = s.out_shape(0)[static_cast<size_t>(--at)];
    const int b = s.factor(extent.value());
    s.result(0, at, b);
    for (const int arg : {0, 1}) {
      const int64_t dim = s.ndim(arg) - 2 - d;
      if (dim >= 0 && s.shape(arg)[static_cast<size_t>(dim)] == extent) s.operand(arg, dim, b);
    }
  }
  s.linear({0}).linear({1});
}

void transpose(Spmd& s) {
  const Shape perm = s.ints(1);
  const int64_t rank = s.ndim(0);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t from = normalised(perm[static_cast<size_t>(d)].value(), rank);
    const int f = s.factor(s.shape(0)[static_cast<size_t>(from)].value());
    s.operand(0, from, f).result(0, d, f);
  }
  s.moves_values();
}

void reshape(Spmd& s) {
  match_groups(s);
  s.moves_values().shape_argument(1, 0);
}

void same_elements(Spmd& s) {
  match_groups(s);
  s.moves_values();
}

void squeeze(Spmd& s) {
  const Shape axes = s.ints(1);
  match_groups(s);
  s.moves_values();
  // A part may have extent 1 where the whole has not: only named axes of extent 1 may go.
  bool safe = !axes.empty();
  for (const Dim axis : axes) {
    const int64_t at = normalised(axis.value(), s.ndim(0));
    safe &= s.shape(0)[static_cast<size_t>(at)] == Dim(1);
  }
  if (safe) return;
  for (Spmd::Operand& o : s.operands()) std::fill(o.factors.begin(), o.factors.end(), -1);
  for (int64_t d = 0; d < s.out_ndim(0); ++d) s.result(0, d, -1);
}

void expand(Spmd& s) {
  s.broadcast();
  s.moves_values().shape_argument(1, 0);
}

void concat(Spmd& s) {
  const int64_t rank = s.out_ndim(0), axis = normalised(number(s, 1), rank);
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) same_dim(s, d, d, s.out_shape(0)[static_cast<size_t>(d)].value());
  }
  s.moves_values();
}

void stack(Spmd& s) {
  const int64_t rank = s.out_ndim(0), axis = normalised(s.i(1), rank);
  for (int64_t d = 0; d < rank - 1; ++d) {
    const int64_t to = d < axis ? d : d + 1;
    same_dim(s, d, to, s.out_shape(0)[static_cast<size_t>(to)].value());
  }
  s.moves_values();
}

void split(Spmd& s) {
  const int64_t rank = s.ndim(0), axis = normalised(number(s, 2), rank);
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) same_dim(s, d, d, s.shape(0)[static_cast<size_t>(d)].value());
  }
  s.moves_values();
}

void slice(Spmd& s) {
  const int64_t rank = s.ndim(0);
  const Shape axes = s.ints(1), gone = s.ints(5);
  const auto names = [&](const Shape& list, int64_t d) {
    return std::any_of(list.begin(), list.end(),
                       [&](Dim axis) { return normalised(axis.value(), rank) == d; });
  };
  int64_t at = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (names(gone, d)) continue;
    if (!names(axes, d)) {
      const int f = s.factor(s.shape(0)[static_cast<size_t>(d)].value());
      s.operand(0, d, f).result(0, at, f);
    }
    ++at;
  }
  s.moves_values();
}

void along_axis(Spmd& s) {
  const int at = s.op().schema().arg_index("axis");
  const int64_t axis = at >= 0 ? number(s, at) : -1;
  if (s.ndim(0) > 0) s.along({normalised(axis, s.ndim(0))});
}

namespace {

void normalised_rows(Spmd& s, int64_t begin) {
  const Schema& schema = s.op().schema();
  const auto is_affine = [](const std::string& name) {
    return name.starts_with("scale") || name.starts_with("bias");
  };
  for (const Spmd::Operand& o : s.operands()) {  // statistics in another shape
    const auto rank = static_cast<int64_t>(o.tensor->shape.size());
    if (is_affine(schema.args[static_cast<size_t>(o.arg)].name)) continue;
    if (rank != begin && rank != s.ndim(0)) return;
  }
  for (int64_t d = 0; d < begin; ++d) {
    const int f = s.factor(s.shape(0)[static_cast<size_t>(d)].value());
    s.reduces(f, ReduceKind::kSum);
    for (Spmd::Operand& o : s.operands()) {
      if (!is_affine(schema.args[static_cast<size_t>(o.arg)].name)) {
        o.factors[static_cast<size_t>(d)] = f;
      }
    }
    for (size_t r = 0; r < s.num_results(); ++r) {
      if (!is_affine(schema.results[r].name)) s.result(static_cast<int>(r), d, f);
    }
  }
}

// q [batch, queries, heads, depth], k and v [batch, keys, key heads, depth], mask [batch or 1,
// heads or 1, queries, keys]; `lse` is the result or argument [batch, heads, queries].
void attention_factors(Spmd& s, int mask, int lse, bool lse_is_result, bool causal) {
  const Shape &q = s.shape(0), &k = s.shape(1);
  const bool grad = !lse_is_result;
  const auto like_q = [&](int64_t dim, int f) {
    s.operand(0, dim, f);
    if (grad) s.operand(3, dim, f).operand(7, dim, f);
    s.result(0, dim, f);
  };
  const auto like_k = [&](int64_t dim, int f) {
    s.operand(1, dim, f).operand(2, dim, f);
    if (grad) s.result(1, dim, f).result(2, dim, f);
  };
  const auto in_mask = [&](int64_t dim, int f, Dim extent) {
    if (s.has(mask) && s.shape(mask)[static_cast<size_t>(dim)] == extent) s.operand(mask, dim, f);
  };
  const auto in_lse = [&](int64_t dim, int f) {
    if (lse_is_result) {
      s.result(lse, dim, f);
    } else {
      s.operand(lse, dim, f);
    }
  };
  const int batch = s.factor(q[0].value());
  like_q(0, batch);
  like_k(0, batch);
  in_mask(0, batch, q[0]);
  in_lse(0, batch);
  // Groups of query heads share a key head: equal parts of both belong together.
  const int heads = s.factor(std::gcd(q[2].value(), k[2].value()));
  if (!(q[2] == k[2])) s.even(heads);
  like_q(2, heads);
  like_k(2, heads);
  in_mask(1, heads, q[2]);
  in_lse(1, heads);
  if (causal) return;  // a part would count its queries from its own first one
  const int queries = s.factor(q[1].value());
  s.reduces(queries, ReduceKind::kSum);
  like_q(1, queries);
  in_mask(2, queries, q[1]);
  in_lse(2, queries);
}

}  // namespace

void layer_norm(Spmd& s) {
  const int at = s.op().schema().arg_index("begin_norm_axis");
  normalised_rows(s, normalised(s.i(at), s.ndim(0)));
}

void rms_norm(Spmd& s) {
  const Shape normalized = s.ints(s.op().schema().arg_index("normalized_shape"));
  normalised_rows(s, s.ndim(0) - std::max<int64_t>(1, static_cast<int64_t>(normalized.size())));
}

void attention(Spmd& s) {
  s.independent(3);
  const bool drops = s.f(5) > 0 && !s.b(8);
  const bool whole_mask = s.has(4) && s.ndim(4) != 4;
  if (drops || whole_mask || s.b(7)) return;  // drawn by position in the whole, or [.., keys]
  attention_factors(s, 4, 2, true, s.b(6));
}

void paged_attention(Spmd& s) {
  const int64_t at = s.has(9) ? 1 : 2;  // keys and values in two tensors, or in one
  const Dim heads = s.shape(0)[1], shared = extent_of(s.shape(1), at);
  const int f = s.factor(std::gcd(heads.value(), shared.value()));
  if (!(heads == shared)) s.even(f);
  s.operand(0, 1, f).operand(1, at, f).operand(5, 0, f).operand(9, at, f).result(0, 1, f);
}

void attention_grad(Spmd& s) {
  const bool whole_mask = s.has(6) && s.ndim(6) != 4;
  if (s.f(8) > 0 || whole_mask) return;
  attention_factors(s, 6, 4, false, s.b(9));
}

void code_outputs(Spmd& s) {
  // Codes of sixteen outputs stand together.
  const int f = s.factor(s.out_shape(0)[1].value() / 16);
  s.even(f).operand(0, 0, f).operand(1, 1, f).result(0, 1, f);
}
void int8_outputs(Spmd& s) {
  // What counts as an outlier depends on all rows of x.
  const int f = s.factor(s.shape(1)[0].value());
  s.operand(1, 0, f).operand(2, 0, f).operand(3, 0, f).result(0, -1, f);
}
void block_rows(Spmd& s) {
  if (s.b(position(s, "packed"))) return;  // rows are interleaved
  const int f = passes(s, 0, 0);
  s.count_argument(position(s, "rows"), f);
}

void packed_rows(Spmd& s) {
  if (s.shape(0)[0].value() % kPackedRows != 0) return;
  const int f = s.factor(s.shape(0)[0].value() / kPackedRows);
  s.even(f).operand(0, 0, f).result(0, 0, f);
}

void by_decomposition(Spmd& s) { s.decomposes(); }

}  // namespace paddle::ops::sharding

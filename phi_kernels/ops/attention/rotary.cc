// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding (Su et al., "RoFormer", 2021): of queries, keys and values at once, and
// of one tensor whose tables have its rank.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/attention.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"

namespace paddle::ops {
namespace {

// arguments: q, k, v, sin, cos, position_ids, use_neox_rotary_style, time_major, rotary_emb_base
void infer_rotary(Infer& c) {
  c.require_floating(0);
  PADDLE_CHECK_VALUE(
      c.has(3) && c.has(4), c.op_name(),
      ": sin or cos is missing; both tables are needed; compute them once and pass them.");
  for (int i = 0; i < 3; ++i) {
    if (!c.has(i)) continue;
    c.require_rank(i, 4);
    c.require_same_dtype(0, i);
    PADDLE_CHECK_VALUE(decide_eq(mod(c.shape(i)[3], 2), 0, true), c.op_name(), ": ", c.arg_name(i),
                       " has shape ", c.shape(i), "; head_dim, its last extent, must be even.");
    c.out(i, c.shape(i), c.dtype(i));
  }
}

// The pair partner of every element, the first of a pair negated: (a, b) -> (-b, a).
Tensor partner(const Tensor& x, bool adjacent) {
  const Dim d = x.shape().back(), half = floordiv(d, 2);
  if (!adjacent) {
    const TensorList parts = split(x, Shape{half, half}, Scalar(int64_t{-1}));
    return concat({-parts[1], parts[0]}, Scalar(int64_t{-1}));
  }
  Shape pairs = x.shape();
  pairs.back() = half;
  pairs.push_back(2);
  const TensorList parts = split(reshape(x, pairs), Shape{1, 1}, Scalar(int64_t{-1}));
  return reshape(concat({-parts[1], parts[0]}, Scalar(int64_t{-1})), x.shape());
}

// The table as it broadcasts to x: [1 or batch, sequence, 1, head_dim].
Tensor table(const Tensor& t, const Tensor& position_ids, bool time_major, DType dtype) {
  const Dim d = t.shape().back();
  const Dim rows = floordiv(numel_of(t.shape()), d);
  Tensor out = reshape(t, Shape{rows, d});
  if (position_ids.defined()) {
    const Shape& p = position_ids.shape();
    out = reshape(gather(out, reshape(position_ids, Shape{p[0] * p[1]}), Scalar(0)),
                  Shape{p[0], p[1], 1, d});
  } else {
    out = reshape(out, Shape{1, rows, 1, d});
  }
  return as_dtype(time_major ? transpose(out, Shape{1, 0, 2, 3}) : out, dtype);
}

TensorList decompose_rotary(Args& a) {
  const DType dtype = a.tensor(0).dtype();
  const Tensor sin = table(a.tensor(3), a.tensor(5), a.b(7), dtype);
  const Tensor cos = table(a.tensor(4), a.tensor(5), a.b(7), dtype);
  TensorList out(3);
  for (int i = 0; i < 3; ++i) {
    if (!a.has(i)) continue;
    const Tensor x = a.tensor(i);
    out[static_cast<size_t>(i)] = x * cos + partner(x, a.b(6)) * sin;
  }
  return out;
}

// The transpose of `partner` is its negative. The tables are constants of the model.
void vjp_rotary(Vjp& v) {
  const DType dtype = v.in(0).dtype();
  const Tensor sin = table(v.in(3), v.in(5), v.b(7), dtype),
               cos = table(v.in(4), v.in(5), v.b(7), dtype);
  PADDLE_CHECK_RUNTIME(!v.needs(3) && !v.needs(4),
                       "fused_rotary_position_embedding: sin or cos needs a ",
                       "gradient; the tables are constants; set stop_gradient=True on them.");
  for (int i = 0; i < 3; ++i) {
    if (!v.has(i) || !v.needs(i) || !v.has_grad(i)) continue;
    v.set(i, v.grad(i) * cos - partner(v.grad(i) * sin, v.b(6)));
  }
}

// ---- rotate_halves ----------------------------------------------------------------------------

void infer_rotate_halves(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  const Shape& x = c.shape(0);
  bool fits = c.rank(1) == c.rank(0) && c.shape(1) == c.shape(2);
  for (size_t i = 0; fits && i < x.size(); ++i) {
    const Dim own = c.shape(1)[i];
    fits = own == x[i] || (own == Dim(1) && i + 1 < x.size());
  }
  PADDLE_CHECK_VALUE(fits, "rotate_halves: x has shape ", x, ", cos ", c.shape(1), " and sin ",
                     c.shape(2),
                     "; the tables need the extents of x, or 1 in front of the last axis.");
  PADDLE_CHECK_VALUE(decide_eq(mod(x.back(), 2), 0, true), "rotate_halves: x has shape ", x,
                     "; its last extent must be even.");
  c.require_same_dtype(0, 1);
  c.require_same_dtype(0, 2);
  c.out(0, x, c.dtype(0));
}

Tensor composed_rotation(const Tensor& x, const Tensor& cos, const Tensor& sin, bool inverse) {
  return inverse ? x * cos - partner(x * sin, false) : x * cos + partner(x, false) * sin;
}

TensorList decompose_rotate_halves(Args& a) {
  return {composed_rotation(a.tensor(0), a.tensor(1), a.tensor(2), a.b(3))};
}

// Both directions are linear in x, each the transpose of the other.
void vjp_rotate_halves(Vjp& v) {
  const bool inverse = v.b(3);
  if (v.needs(0)) v.set(0, rotate_halves(v.grad(), v.in(1), v.in(2), !inverse));
  if (v.needs(1)) v.set(1, v.grad() * v.in(0));
  if (!v.needs(2)) return;
  v.set(2, inverse ? partner(v.grad(), false) * v.in(0) : v.grad() * partner(v.in(0), false));
}

}  // namespace

void register_rotary(Registry& r) {
  r.op("rotate_halves")
      .schema("rotate_halves(Tensor x, Tensor cos, Tensor sin, bool inverse=false) -> (Tensor out)")
      .doc(
          "x * cos + h(x) * sin, where h makes (-b, a) of the halves a and b of the last axis; "
          "with "
          "inverse its transpose, x * cos - h(x * sin). Rotary position embedding (Su et al., "
          "\"RoFormer\", 2021).",
          "paddle._C_ops.rotate_halves(paddle.ones([2, 4]), paddle.zeros([1, 4]), "
          "paddle.ones([1, 4]))")
      .trait(kUnsaved)
      .infer(infer_rotate_halves)
      .saves({"x", "cos", "sin"})
      .vjp(vjp_rotate_halves)
      .decompose(decompose_rotate_halves);

  r.op("fused_rotary_position_embedding")
      .schema(
          "fused_rotary_position_embedding(Tensor q, Tensor? k, Tensor? v, Tensor? sin, Tensor? "
          "cos, Tensor? position_ids, bool use_neox_rotary_style=true, bool time_major=false, "
          "float rotary_emb_base=10000.0) -> (Tensor out_q, Tensor? out_k, Tensor? out_v)")
      .doc(
          "Rotates pairs of elements of [batch, sequence, heads, head_dim] by the angle of their "
          "position: adjacent pairs with use_neox_rotary_style, else element i with i + head_dim / "
          "2.",
          "paddle._C_ops.fused_rotary_position_embedding(paddle.ones([1, 2, 1, 4]), None, None, "
          "paddle.zeros([2, 4]), paddle.ones([2, 4]), None, False, False, 10000.0)")
      .trait(kUnsaved)
      .infer(infer_rotary)
      .saves({"sin", "cos", "position_ids"})
      .vjp(vjp_rotary)
      .decompose(decompose_rotary);
}

}  // namespace paddle::ops

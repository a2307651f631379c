// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding (Su et al., "RoFormer", 2021) of queries, keys and values at once.
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

}  // namespace

void register_rotary(Registry& r) {
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

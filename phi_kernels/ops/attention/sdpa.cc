// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scaled dot-product attention on [batch, sequence, heads, head_dim]. The kernels keep memory
// linear in the sequence; decomposition and second derivative are written with explicit scores.
#include <cmath>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/attention.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

DType statistic_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

void require_random_state(Infer& c, int k) {
  c.require_elements(k, 2);
  c.require_dtype(k, DType::kInt64);
}

void check_inputs(Infer& c, int mask) {
  c.require_floating(0);
  for (int k = 0; k < 3; ++k) c.require_rank(k, 4);
  c.require_same_dtype(0, 1);
  c.require_same_dtype(0, 2);
  const Shape &q = c.shape(0), &k = c.shape(1), &v = c.shape(2);
  bool same = true;
  for (size_t i = 0; i < 4; ++i) same = same && decide_eq(k[i], v[i], true);
  PADDLE_CHECK_VALUE(same && decide_eq(q[0], k[0], true) && decide_eq(q[3], k[3], true),
                     c.op_name(), ": q has shape ", q, ", k ", k, " and v ", v,
                     "; batch and head_dim must agree and k and v must have one shape, as [batch, "
                     "sequence, heads, head_dim].");
  PADDLE_CHECK_VALUE(decide_eq(q[2], k[2], true) || decide_eq(mod(q[2], k[2]), 0, true),
                     c.op_name(), ": q has ", q[2], " heads and k has ", k[2],
                     "; the heads of q must be a multiple of those of k.");
  if (!c.has(mask)) return;
  PADDLE_CHECK_TYPE(is_bool(c.dtype(mask)) || c.dtype(mask) == c.dtype(0), c.op_name(),
                    ": attn_mask has dtype ", c.dtype(mask), " and q has dtype ", c.dtype(0),
                    "; attn_mask must be bool or have the dtype of q; cast it with astype().");
  const Shape& m = c.shape(mask);
  const Shape scores{q[0], q[2], q[1], k[1]};
  bool fits = m.size() <= 4;
  for (size_t i = 0; fits && i < m.size(); ++i) {
    const Dim full_extent = scores[4 - m.size() + i];
    fits = decide_eq(m[i], 1, false) || decide_eq(m[i], full_extent, true);
  }
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": attn_mask has shape ", m, "; it must broadcast to ",
                     scores, ", [batch, heads, queries, keys].");
}

// arguments: q, k, v, fixed_seed_offset, attn_mask, dropout, causal, return_softmax, is_test,
// rng_name
void infer_forward(Infer& c) {
  check_inputs(c, 4);
  if (c.has(3)) require_random_state(c, 3);
  PADDLE_CHECK_VALUE(c.f(5) >= 0 && c.f(5) < 1, c.op_name(), ": dropout has value ", c.f(5),
                     "; it must lie in [0, 1).");
  const Shape &q = c.shape(0), &k = c.shape(1);
  c.out(0, q, c.dtype(0));
  if (c.b(7)) c.out(1, Shape{q[0], q[2], q[1], k[1]}, c.dtype(0));
  c.out(2, Shape{q[0], q[2], q[1]}, statistic_dtype(c.dtype(0)));
  c.out(3, Shape{2}, DType::kInt64);
}

// arguments: q, k, v, out, softmax_lse, seed_offset, attn_mask, out_grad, dropout, causal
void infer_backward(Infer& c) {
  check_inputs(c, 6);
  const Shape &q = c.shape(0), lse{q[0], q[2], q[1]};
  c.require_like(0, 3);
  c.require_like(0, 7);
  c.require_shape(4, lse);
  c.require_dtype(4, statistic_dtype(c.dtype(0)));
  require_random_state(c, 5);
  for (int k = 0; k < 3; ++k) c.out(k, c.shape(k), c.dtype(k));
}

uint64_t count_random(const Slot* args, const Tensor*) {
  if (args[5].f == 0 || args[8].i != 0) return 0;
  const Shape &q = args[0].tensor->shape, &k = args[1].tensor->shape;
  return static_cast<uint64_t>(((q[0] * q[2] * q[1] * k[1]).value() + 3) / 4);
}

// Everything as [batch, heads, sequence, depth] in the computing dtype, key heads repeated.
struct Scores {
  Tensor q, k, v;
  Tensor p;        // probabilities
  Tensor dropped;  // p times the dropout mask
  Tensor drop;     // the mask, or undefined
  Dim groups = 1;
  Shape kv_shape;
  double factor = 1;
  DType wide;

  Tensor heads_first(const Tensor& x) const {
    return transpose(as_dtype(x, wide), Shape{0, 2, 1, 3});
  }
  Tensor repeat(const Tensor& x) const {  // [b, g, s, d] -> [b, g * groups, s, d]
    if (decide_eq(groups, 1, false)) return x;
    const Shape& s = x.shape();
    const Tensor wide_x = expand(unsqueeze(x, Shape{2}), Shape{s[0], s[1], groups, s[2], s[3]});
    return reshape(wide_x, Shape{s[0], s[1] * groups, s[2], s[3]});
  }
  Tensor key_side(const Tensor& x) const { return repeat(heads_first(x)); }
  // Back to [batch, sequence, heads, depth]; repeated heads are summed.
  Tensor to_query(const Tensor& x) const { return transpose(x, Shape{0, 2, 1, 3}); }
  Tensor to_key(const Tensor& x) const {
    Tensor t = x;
    if (!decide_eq(groups, 1, false)) {
      const Shape& s = x.shape();
      t = sum_axes(reshape(x, Shape{s[0], kv_shape[2], groups, s[2], s[3]}), Shape{2}, false);
    }
    return transpose(t, Shape{0, 2, 1, 3});
  }
  Tensor dropout_of(const Tensor& x) const { return scaled_by(x, drop); }
  // Jacobian of softmax: p (u - sum(u p)).
  Tensor through_softmax(const Tensor& u) const {
    return p * (u - sum_axes(u * p, Shape{-1}, true));
  }
};

Tensor add_mask(const Tensor& s, const Tensor& mask) {
  if (!mask.defined()) return s;
  if (!is_bool(mask.dtype())) return s + as_dtype(mask, s.dtype());
  return where(mask, s, constant_like(s, -INFINITY));
}

Scores scores(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
              const Tensor& seed, double dropout, bool causal) {
  Scores s;
  s.wide = statistic_dtype(q.dtype());
  s.kv_shape = k.shape();
  if (!decide_eq(q.shape()[2], k.shape()[2], true)) s.groups = floordiv(q.shape()[2], k.shape()[2]);
  s.factor = 1 / std::sqrt(static_cast<double>(q.shape()[3].value()));
  s.q = s.heads_first(q);
  s.k = s.key_side(k);
  s.v = s.key_side(v);
  Tensor logits = add_mask(times(matmul(s.q, s.k, false, true), s.factor), mask);
  if (causal) logits = causal_fill(logits, -INFINITY);
  s.p = softmax(logits, -1);
  if (dropout > 0) s.drop = as_dtype(attn_dropout_mask(seed, s.p.shape(), dropout), s.wide);
  s.dropped = s.dropout_of(s.p);
  return s;
}

TensorList decompose_forward(Args& a) {
  const Tensor q = a.tensor(0), k = a.tensor(1);
  const double dropout = a.b(8) ? 0.0 : a.f(5);
  const Shape count{q.shape()[0] * q.shape()[2] * q.shape()[1] * k.shape()[1]};
  const Tensor seed = a.has(3) ? a.tensor(3) : attn_seed_offset(q, dropout > 0 ? count : Shape{0});
  const Scores s = scores(q, k, a.tensor(2), a.tensor(4), seed, dropout, a.b(6));
  const Tensor out = as_dtype(s.to_query(matmul(s.dropped, s.v, false, false)), q.dtype());
  Tensor logits = add_mask(times(matmul(s.q, s.k, false, true), s.factor), a.tensor(4));
  if (a.b(6)) logits = causal_fill(logits, -INFINITY);
  const Tensor top = max(logits, Shape{-1}, true);
  const Tensor lse = log(sum_axes(exp(logits - top), Shape{-1}, false)) + squeeze(top, Shape{-1});
  return {out, a.b(7) ? as_dtype(s.p, q.dtype()) : Tensor(), lse, seed};
}

struct AttentionGrads {
  Tensor q, k, v, logits;
};

AttentionGrads explicit_grads(const Scores& s, const Tensor& out_grad) {
  const Tensor g = s.heads_first(out_grad);
  const Tensor ds = s.through_softmax(s.dropout_of(matmul(g, s.v, false, true)));
  return {s.to_query(times(matmul(ds, s.k, false, false), s.factor)),
          s.to_key(times(matmul(ds, s.q, true, false), s.factor)),
          s.to_key(matmul(s.dropped, g, true, false)), ds};
}

TensorList decompose_backward(Args& a) {
  const Tensor q = a.tensor(0);
  const Scores s = scores(q, a.tensor(1), a.tensor(2), a.tensor(6), a.tensor(5), a.f(8), a.b(9));
  const AttentionGrads g = explicit_grads(s, a.tensor(7));
  return {as_dtype(g.q, q.dtype()), as_dtype(g.k, q.dtype()), as_dtype(g.v, q.dtype())};
}

void vjp_forward(Vjp& v) {
  const double dropout = v.b(8) ? 0.0 : v.f(5);
  Tensor dq, dk, dv;
  if (v.has_grad(0) && v.has(4) && v.needs(4)) {
    const Scores s = scores(v.in(0), v.in(1), v.in(2), v.in(4), v.out(3), dropout, v.b(6));
    const AttentionGrads g = explicit_grads(s, v.grad(0));
    dq = g.q, dk = g.k, dv = g.v;
    v.set(4, g.logits);
  } else if (v.has_grad(0)) {
    const auto g = flash_attn_grad(v.in(0), v.in(1), v.in(2), v.out(0), v.out(2), v.out(3), v.in(4),
                                   v.grad(0), dropout, v.b(6));
    dq = g[0], dk = g[1], dv = g[2];
  } else {
    return;
  }
  if (v.needs(0)) v.set(0, dq);
  if (v.needs(1)) v.set(1, dk);
  if (v.needs(2)) v.set(2, dv);
}

// With S the scores, P = softmax(S), M the dropout mask, O the gradient of the result:
// dV = (P M)' O, dP = (O V') M, dS = P (dP - sum(dP P)), dQ = f dS K, dK = f dS' Q. a, b, c are the
// gradients of dQ, dK, dV. out and log-sum-exp are functions of q, k, v and get none of their own.
void vjp_backward(Vjp& v) {
  const Scores s = scores(v.in(0), v.in(1), v.in(2), v.in(6), v.in(5), v.f(8), v.b(9));
  const Tensor o = s.heads_first(v.in(7));
  const Tensor dp = s.dropout_of(matmul(o, s.v, false, true));
  const Tensor row = sum_axes(dp * s.p, Shape{-1}, true), ds = s.p * (dp - row);
  Tensor by_ds, by_p, by_q, by_k, by_v, by_o;
  if (v.has_grad(0)) {
    const Tensor a = s.heads_first(v.grad(0));
    by_ds = times(matmul(a, s.k, false, true), s.factor);
    by_k = times(matmul(ds, a, true, false), s.factor);
  }
  if (v.has_grad(1)) {
    const Tensor b = s.key_side(v.grad(1));
    by_ds = plus(by_ds, times(matmul(s.q, b, false, true), s.factor));
    by_q = times(matmul(ds, b, false, false), s.factor);
  }
  if (v.has_grad(2)) {
    const Tensor c = s.key_side(v.grad(2));
    by_p = s.dropout_of(matmul(o, c, false, true));
    by_o = matmul(s.dropped, c, false, false);
  }
  if (by_ds.defined()) {
    const Tensor total = sum_axes(by_ds * s.p, Shape{-1}, true);
    by_p = plus(by_p, by_ds * (dp - row) - dp * total);
    const Tensor by_dp = s.dropout_of(s.p * (by_ds - total));
    by_o = plus(by_o, matmul(by_dp, s.v, false, false));
    by_v = matmul(by_dp, o, true, false);
  }
  if (!by_p.defined()) return;
  const Tensor by_s = s.through_softmax(by_p);
  by_q = plus(by_q, times(matmul(by_s, s.k, false, false), s.factor));
  by_k = plus(by_k, times(matmul(by_s, s.q, true, false), s.factor));
  if (v.needs(0)) v.set(0, s.to_query(by_q));
  if (v.needs(1)) v.set(1, s.to_key(by_k));
  if (v.needs(2) && by_v.defined()) v.set(2, s.to_key(by_v));
  if (v.has(6) && v.needs(6)) v.set(6, by_s);
  if (v.needs(7) && by_o.defined()) v.set(7, s.to_query(by_o));
}

uint64_t count_seed(const Slot* args, const Tensor*) {
  return args[1].count == 0 ? 0 : static_cast<uint64_t>((args[1].dims[0].value() + 3) / 4);
}

constexpr const char* kExample =
    "q = paddle.rand([1, 4, 2, 8])\n"
    "out, softmax, lse, seed = paddle._C_ops.flash_attn(q, q, q, None, None, 0.0, True, False, "
    "True, '')";

}  // namespace

void register_sdpa(Registry& r) {
  r.op("flash_attn")
      .schema(
          "flash_attn(Tensor q, Tensor k, Tensor v, Tensor? fixed_seed_offset, Tensor? attn_mask, "
          "float dropout=0.0, bool causal=false, bool return_softmax=false, bool is_test=false, "
          "str rng_name=\"\") -> (Tensor out, Tensor? softmax, Tensor softmax_lse, Tensor "
          "seed_offset)")
      .spmd(sharding::attention)
      .doc(
          "softmax(q k' / sqrt(head_dim) + attn_mask) v per head on [batch, sequence, heads, "
          "head_dim]; k and v may have fewer heads. causal hides keys after the query's own "
          "position, counted from the start. softmax_lse is the log-sum-exp of the scores, "
          "seed_offset the state of the dropout.",
          kExample)
      .amp_class(AmpClass::kLow)
      .trait(kUnsaved)
      .infer(infer_forward)
      .random(count_random)
      .no_grad_result("softmax")
      .no_grad_result("softmax_lse")
      .no_grad_result("seed_offset")
      .saves({"q", "k", "v", "attn_mask", "out", "softmax_lse", "seed_offset"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("flash_attn_grad")
      .schema(
          "flash_attn_grad(Tensor q, Tensor k, Tensor v, Tensor out, Tensor softmax_lse, Tensor "
          "seed_offset, Tensor? attn_mask, Tensor out_grad, float dropout=0.0, bool causal=false) "
          "-> (Tensor q_grad, Tensor k_grad, Tensor v_grad)")
      .spmd(sharding::attention_grad)
      .doc("Gradient of flash_attn by q, k and v.", kExample)
      .amp_class(AmpClass::kLow)
      .kernel_dtype_of("q")
      .infer(infer_backward)
      .saves({"q", "k", "v", "seed_offset", "attn_mask", "out_grad"})
      .vjp(vjp_backward)
      .decompose(decompose_backward);

  r.op("attn_dropout_mask")
      .schema("attn_dropout_mask(Tensor seed_offset, IntArray shape, float p) -> (Tensor out)")
      .doc("The dropout mask of attention for a random state: 0 or 1 / (1 - p).",
           "paddle._C_ops.attn_dropout_mask(paddle.to_tensor([1, 0]), [2, 2], 0.5)")
      .opaque(
          "a pure function of a random state, so that forward and gradient drop the same entries")
      .no_grad()
      .infer([](Infer& c) {
        require_random_state(c, 0);
        c.out(0, c.ints(1), DType::kFloat32);
      });

  r.op("attn_seed_offset")
      .schema("attn_seed_offset(Tensor like, IntArray count) -> (Tensor out)")
      .doc("Reserves random numbers and returns the state [seed, offset] from which they start.",
           "paddle._C_ops.attn_seed_offset(paddle.ones([1]), [4])")
      .spmd(sharding::shapes)
      .reads_shape_of({"like"})
      .opaque("draws from the generator")
      .no_grad()
      .random(count_seed)
      .infer([](Infer& c) { c.out(0, Shape{2}, DType::kInt64); });

  r.op("causal_fill")
      .schema("causal_fill(Tensor x, float value) -> (Tensor out)")
      .doc("x with value in place of every entry whose column is greater than its row.",
           "paddle._C_ops.causal_fill(paddle.ones([2, 2]), 0.0)")
      .trait(kUnsaved)
      .infer([](Infer& c) {
        c.require_floating(0);
        c.require_rank_at_least(0, 2);
        c.out(0, c.shape(0), c.dtype(0));
      })
      .vjp([](Vjp& v) { v.set(0, causal_fill(v.grad(), 0.0)); })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), above = cast(triu(constant_like(x, 1), 1), DType::kBool);
        return {where(above, constant_like(x, a.f(1)), x)};
      });
}

}  // namespace paddle::ops

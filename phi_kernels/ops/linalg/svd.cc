// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Singular value decomposition.
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

Tensor skew(const Tensor& t) { return t - adjoint(t); }

// With x = U S V^H (k = min(m, n) columns in U and V) and E_ij = s_j^2 - s_i^2:
//   gx = U [ (skew(U^H gU) / E) S + S (skew(V^H gV) / E) + diag(gS) + i Im diag(U^H gU) / S ] V^H
//        + (I - U U^H) gU S^-1 V^H + U S^-1 gV^H (I - V V^H).
void vjp_svd(Vjp& v) {
  const Shape& shape = v.in(0).shape();
  const Dim m = rows_of(shape), n = columns_of(shape), k = min(m, n);
  Tensor u = v.out(0), vh = v.out(2), gu = v.grad(0), gvh = v.grad(2);
  if (v.b(1)) {  // vectors beyond k have no derivative of their own
    u = narrow(u, -1, 0, k);
    vh = narrow(vh, -2, 0, k);
    if (gu.defined()) gu = narrow(gu, -1, 0, k);
    if (gvh.defined()) gvh = narrow(gvh, -2, 0, k);
  }
  const Tensor s = v.out(1), s_row = as_row(s), s_column = as_column(s);
  Tensor inner, outer;
  if (v.has_grad(1)) inner = as_column(v.grad(1)) * identity_like(mm(vh, adjoint(vh)));
  if (gu.defined() || gvh.defined()) {
    const Tensor weight = inverse_off_diagonal(s_row * s_row - s_column * s_column);
    if (gu.defined()) {
      const Tensor p = mm(adjoint(u), gu), turn = skew(p);
      inner = plus(inner, (turn * weight) * s_row);
      if (is_complex(p.dtype())) inner = inner + times(turn * identity_like(turn), 0.5) / s_row;
      if (!decide_le(m, k, true)) outer = mm((gu - mm(u, p)) / s_row, vh);
    }
    if (gvh.defined()) {
      const Tensor p = mm(gvh, adjoint(vh));  // (V^H gV)^H
      inner = plus(inner, s_column * (-skew(p) * weight));
      if (!decide_le(n, k, true)) outer = plus(outer, mm(u, (gvh - mm(p, vh)) / s_column));
    }
  }
  Tensor g = inner.defined() ? mm(mm(u, as_dtype(inner, u.dtype())), vh) : Tensor();
  g = plus(g, outer);
  if (g.defined()) v.set(0, g);
}

void infer_svd(Infer& c) {
  require_matrix(c, 0);
  const Shape& x = c.shape(0);
  const Dim m = rows_of(x), n = columns_of(x), k = min(m, n);
  const Shape batch = batch_shape(x);
  c.out(0, with_matrix(batch, m, c.b(1) ? m : k), c.dtype(0));
  c.out(1, with_vector(batch, k), real_of(c.dtype(0)));
  c.out(2, with_matrix(batch, c.b(1) ? n : k, n), c.dtype(0));
}

void infer_svdvals(Infer& c) {
  require_matrix(c, 0);
  const Shape& x = c.shape(0);
  c.out(0, with_vector(batch_shape(x), min(rows_of(x), columns_of(x))), real_of(c.dtype(0)));
}

// Largest along the last dimension, kept.
Tensor largest(const Tensor& s) { return max(s, Shape{-1}, true); }

// 1 / s for values above the limit, else 0.
Tensor inverse_above(const Tensor& s, const Tensor& size, const Tensor& limit) {
  const Tensor counts = greater_than(size, limit);
  const Tensor one = constant_like(s, 1.0), zero = constant_like(s, 0.0);
  return where(counts, one / where(counts, s, one), zero);
}

TensorList decompose_pinv(Args& a) {
  const Tensor x = a.tensor(0);
  if (decide_eq(numel_of(x.shape()), 0, false)) return {adjoint(x)};
  Tensor rcond = a.tensor(1);
  if (rcond.ndim() > 0) rcond = as_column(rcond);
  if (a.b(2)) {
    const auto [w, v] = eigh(x, "L");
    const Tensor size = abs(w);
    return {mm(v * as_row(inverse_above(w, size, largest(size) * rcond)), adjoint(v))};
  }
  const auto [u, s, vh] = svd(x, false);
  return {mm(adjoint(vh) * as_row(inverse_above(s, s, largest(s) * rcond)), adjoint(u))};
}

// Golub and Pereyra (1973): dP = -P dx P + P P^H dx^H (I - x P) + (I - P x) dx^H P^H P.
void vjp_pinv(Vjp& v) {
  const Tensor x = v.in(0), p = v.out(), g = v.grad();
  const Tensor ph = adjoint(p), gh = adjoint(g);
  const Tensor left = mm(gh, mm(p, ph)), right = mm(mm(ph, p), gh);
  v.set(0, (left - mm(x, mm(p, left))) + (right - mm(mm(right, p), x)) - mm(mm(ph, g), ph));
}

}  // namespace

void register_svd(Registry& r) {
  r.op("svd")
      .schema("svd(Tensor x, bool full_matrices=false) -> (Tensor u, Tensor s, Tensor vh)")
      .alias("A", "x")
      .doc(
          "x = u diag(s) vh with orthonormal columns in u and rows in vh, and s descending. u and "
          "vh are [..., m, k] and [..., k, n] with k = min(m, n); square with full_matrices.",
          "paddle.linalg.svd(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .python("paddle.linalg.svd(x, full_matrices=False, name=None, *, out=None)")
      .python("paddle.svd(x, full_matrices=False, name=None)")
      .python("Tensor.svd(x, full_matrices=False, name=None)")
      .cost(cost::singular_vectors)
      .spmd(sharding::matrices)
      .opaque("a factorization by iteration")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_svd)
      .saves({"u", "s", "vh"})
      .vjp(vjp_svd);

  r.op("svdvals")
      .schema("svdvals(Tensor x) -> (Tensor s)")
      .alias("A", "x")
      .doc("The singular values of x [..., m, n], descending.",
           "paddle.linalg.svdvals(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .python("paddle.linalg.svdvals(x, name=None)")
      .python("paddle.svdvals(x, name=None)")
      .python("Tensor.svdvals(x, name=None)")
      .cost(cost::singular_values)
      .spmd(sharding::matrices)
      .opaque("a factorization by iteration")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_svdvals)
      .saves({"x"})
      .vjp([](Vjp& v) {
        const auto [u, s, vh] = svd(v.in(0), false);
        v.set(0, mm(u * as_row(v.grad()), vh));
      });

  r.op("pinv")
      .schema("pinv(Tensor x, Tensor rcond, bool hermitian=false) -> (Tensor out)")
      .doc(
          "The Moore-Penrose inverses of x [..., m, n]. Singular values (with hermitian: absolute "
          "eigenvalues) up to rcond times the largest count as 0.",
          "paddle.linalg.pinv(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))")
      .trait(kUnsaved)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_matrix(c, 0);
        if (c.b(2)) require_square(c, 0);
        const Shape& x = c.shape(0);
        c.out(0, with_matrix(batch_shape(x), columns_of(x), rows_of(x)), c.dtype(0));
      })
      .saves({"x", "out"})
      .vjp(vjp_pinv)
      .decompose(decompose_pinv);
}

}  // namespace paddle::ops

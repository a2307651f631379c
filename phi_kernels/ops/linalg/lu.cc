// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// LU factors with row exchanges, and what is read from them.
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool unit) {
  return triangular_solve(a, b, upper, false, unit);
}

// Square L and U with P x = L U: P gx = L^-H (tril(L^H gL, -1) + triu(gU U^H)) U^-H.
Tensor square_gradient(const Tensor& l, const Tensor& u, const Tensor& gl, const Tensor& gu) {
  const Tensor lh = adjoint(l);
  const Tensor inner = tril(mm(lh, gl), -1) + triu(mm(gu, adjoint(u)), 0);
  const Tensor left = solve_triangular(lh, inner, true, true);
  return adjoint(solve_triangular(u, adjoint(left), true, false));
}

// The gradient of the row-exchanged matrix. A tall L = [L1; L2] has L2 = A2 U^-1, a wide
// U = [U1 | U2] has U2 = L^-1 A2.
Tensor exchanged_gradient(const Tensor& factors, const Tensor& g) {
  const Dim m = rows_of(factors.shape()), n = columns_of(factors.shape()), k = min(m, n);
  const Tensor top = narrow(narrow(factors, -2, 0, k), -1, 0, k);
  const Tensor g_top = narrow(narrow(g, -2, 0, k), -1, 0, k);
  const Tensor u = triu(top, 0), l = tril(top, -1) + identity_like(top);
  Tensor gl = tril(g_top, -1), gu = triu(g_top, 0);
  if (!decide_le(m, n, true)) {
    const Tensor l2 = narrow(factors, -2, k, m), gl2 = narrow(g, -2, k, m);
    const Tensor ga2 = adjoint(solve_triangular(u, adjoint(gl2), true, false));
    gu = gu - triu(mm(adjoint(l2), ga2), 0);
    return concat({square_gradient(l, u, gl, gu), ga2}, Scalar(-2));
  }
  if (!decide_le(n, m, true)) {
    const Tensor u2 = narrow(factors, -1, k, n), gu2 = narrow(g, -1, k, n);
    const Tensor ga2 = solve_triangular(adjoint(l), gu2, true, true);
    gl = gl - tril(mm(ga2, adjoint(u2)), -1);
    return concat({square_gradient(l, u, gl, gu), ga2}, Scalar(-1));
  }
  return square_gradient(l, u, gl, gu);
}

void vjp_lu(Vjp& v) {
  const Tensor p = std::get<0>(lu_unpack(v.out(0), v.out(1), false, true));
  v.set(0, mm(p, exchanged_gradient(v.out(0), v.grad(0))));
}

void infer_lu(Infer& c) {
  require_matrix(c, 0);
  PADDLE_CHECK_VALUE(c.b(1), c.op_name(),
                     ": pivot is False; factors without row exchanges are not computed on the CPU; "
                     "pass pivot=True.");
  const Shape& x = c.shape(0);
  const Shape batch = batch_shape(x);
  c.out(0, x, c.dtype(0));
  c.out(1, with_vector(batch, min(rows_of(x), columns_of(x))), DType::kInt32);
  c.out(2, batch, DType::kInt32);
}

void check_pivots(const Infer& c, int pivots) {
  PADDLE_CHECK_TYPE(c.dtype(pivots) == DType::kInt32, c.op_name(), ": ", c.arg_name(pivots),
                    " has dtype ", c.dtype(pivots), "; it must be int32; pass what lu returned.");
}

// Results: the permutation p with x = p l u, the lower and the upper factor.
void infer_lu_unpack(Infer& c) {
  require_matrix(c, 0);
  check_pivots(c, 1);
  const Shape &x = c.shape(0), &pivots = c.shape(1);
  const Dim m = rows_of(x), n = columns_of(x), k = min(m, n);
  const Shape batch = batch_shape(x);
  const Shape want = with_vector(batch, k);
  bool fits = pivots.size() == want.size();
  for (size_t d = 0; fits && d < want.size(); ++d) fits = decide_eq(pivots[d], want[d], true);
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": x has shape ", x, " and y has shape ", pivots,
                     "; y must be ", want, "; pass both results of lu.");
  c.out(0, c.b(3) ? with_matrix(batch, m, m) : Shape{0}, c.dtype(0));
  c.out(1, c.b(2) ? with_matrix(batch, m, k) : Shape{0}, c.dtype(0));
  c.out(2, c.b(2) ? with_matrix(batch, k, n) : Shape{0}, c.dtype(0));
}

// Rows of x below those of g are zero in its gradient, and columns alike.
Tensor fill_up(const Tensor& g, Dim rows, Dim columns) {
  Tensor out = g;
  if (!decide_eq(rows_of(out.shape()), rows, true)) {
    Shape missing = out.shape();
    missing[missing.size() - 2] = rows - rows_of(out.shape());
    out = concat({out, full(missing, Scalar(0.0), g.dtype(), g.place())}, Scalar(-2));
  }
  if (!decide_eq(columns_of(out.shape()), columns, true)) {
    Shape missing = out.shape();
    missing.back() = columns - columns_of(out.shape());
    out = concat({out, full(missing, Scalar(0.0), g.dtype(), g.place())}, Scalar(-1));
  }
  return out;
}

void vjp_lu_unpack(Vjp& v) {
  if (!v.b(2)) return;
  const Shape& x = v.in(0).shape();
  Tensor g;
  if (v.has_grad(1)) g = fill_up(tril(v.grad(1), -1), rows_of(x), columns_of(x));
  if (v.has_grad(2)) g = plus(g, fill_up(triu(v.grad(2), 0), rows_of(x), columns_of(x)));
  if (g.defined()) v.set(0, g);
}

// The solution of op(P L U) out = b.
TensorList decompose_lu_solve(Args& a) {
  const auto [p, l, u] = lu_unpack(a.tensor(1), a.tensor(2), true, true);
  const Tensor b = a.tensor(0);
  const std::string_view trans = a.text(3);
  if (trans == "N") {
    return {
        solve_triangular(u, solve_triangular(l, mm(swap_last(p), b), false, true), true, false)};
  }
  const bool conj = trans == "C";
  const Tensor lt = conj ? adjoint(l) : swap_last(l), ut = conj ? adjoint(u) : swap_last(u);
  return {mm(p, solve_triangular(lt, solve_triangular(ut, b, false, false), true, true))};
}

// With A = P L U as a function of the factors, the rule of solve; its gradient for the factors is
// that of their product.
void vjp_lu_solve(Vjp& v) {
  const std::string_view trans = v.text(3);
  const std::string_view back = trans == "N" ? "C" : "N";
  const Tensor factors = trans == "T" ? conjugate(v.in(1)) : v.in(1);
  const Tensor gb = lu_solve(v.grad(), factors, v.in(2), back);
  if (v.needs(0)) v.set(0, gb);
  if (!v.needs(1)) return;
  const auto [p, l, u] = lu_unpack(v.in(1), v.in(2), true, true);
  const Tensor out = v.out();
  // Gradient of the matrix that trans turns round.
  Tensor ga = -(trans == "N"   ? mm(gb, adjoint(out))
                : trans == "C" ? mm(out, adjoint(gb))
                               : mm(conjugate(out), swap_last(gb)));
  ga = mm(swap_last(p), ga);
  v.set(1, tril(mm(ga, adjoint(u)), -1) + triu(mm(adjoint(l), ga), 0));
}

void infer_lu_solve(Infer& c) {
  require_matrix(c, 0);
  require_square(c, 1);
  c.require_same_dtype(0, 1);
  check_pivots(c, 2);
  const std::string_view trans = c.text(3);
  PADDLE_CHECK_VALUE(trans == "N" || trans == "T" || trans == "C", c.op_name(), ": trans is '",
                     trans, "'; it must be 'N', 'T' or 'C'; pass one.");
  const Shape &b = c.shape(0), &lu = c.shape(1), &pivots = c.shape(2);
  PADDLE_CHECK_VALUE(decide_eq(rows_of(b), rows_of(lu), true), c.op_name(), ": b has shape ", b,
                     " and lu has shape ", lu, "; they must have equally many rows; reshape b.");
  PADDLE_CHECK_VALUE(!pivots.empty() && decide_eq(pivots.back(), rows_of(lu), true), c.op_name(),
                     ": pivots has shape ", pivots, " and lu has shape ", lu,
                     "; there must be one pivot per row; pass what lu returned.");
  const Shape out = broadcast_batch_shape(c, 1, 0);
  Shape batch;
  broadcast_into(batch_shape(out), Shape(pivots.begin(), pivots.end() - 1), c.op_name(), "b",
                 "pivots", batch);
  c.out(0, with_matrix(batch, rows_of(b), columns_of(b)), c.dtype(0));
}

}  // namespace

void register_lu(Registry& r) {
  r.op("lu")
      .schema("lu(Tensor x, bool pivot=true) -> (Tensor out, Tensor pivots, Tensor infos)")
      .doc(
          "L (unit diagonal, not stored) and U in one matrix with x = P L U; row i was exchanged "
          "with row pivots[i], counted from 1; infos is the first zero pivot, or 0.",
          "paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .cost(cost::lu)
      .spmd(sharding::matrices)
      .opaque("a factorization by elimination")
      .amp_class(AmpClass::kHigh)
      .infer(infer_lu)
      .saves({"out", "pivots"})
      .no_grad_result("pivots")
      .no_grad_result("infos")
      .vjp(vjp_lu);

  r.op("lu_unpack")
      .schema(
          "lu_unpack(Tensor x, Tensor y, bool unpack_ludata=true, bool unpack_pivots=true) -> "
          "(Tensor pmat, Tensor l, Tensor u)")
      .doc(
          "The permutation P, the lower factor L and the upper factor U of what lu returned; those "
          "not asked for are empty.",
          "paddle.linalg.lu_unpack(*paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])))")
      .python("paddle.linalg.lu_unpack(x, y, unpack_ludata=True, unpack_pivots=True, name=None)")
      .python("paddle.lu_unpack(x, y, unpack_ludata=True, unpack_pivots=True, name=None)")
      .python("Tensor.lu_unpack(y, unpack_ludata=True, unpack_pivots=True, name=None)")
      .spmd(sharding::matrices)
      .opaque("a factorization by elimination")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_lu_unpack)
      .saves({})
      .no_grad_result("pmat")
      .vjp(vjp_lu_unpack);

  r.op("lu_solve")
      .schema("lu_solve(Tensor b, Tensor lu, Tensor pivots, str trans=\"N\") -> (Tensor out)")
      .doc(
          "The solution of A out = b from the factors of A that lu returned; trans 'T' solves with "
          "the transpose, 'C' with the conjugate transpose.",
          "paddle.linalg.lu_solve(paddle.ones([2, 1]), *paddle.linalg.lu(paddle.to_tensor([[1.0, "
          "2.0], [3.0, 4.0]])))")
      .amp_class(AmpClass::kHigh)
      .trait(kBroadcast)
      .infer(infer_lu_solve)
      .saves({"lu", "pivots", "out"})
      .vjp(vjp_lu_solve)
      .decompose(decompose_lu_solve);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// QR decomposition and products of Householder reflectors.
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// x R^-H for upper triangular R.
Tensor divide_adjoint(const Tensor& x, const Tensor& r) {
  return adjoint(triangular_solve(r, adjoint(x), true, false, false));
}

Tensor zero_if_undefined(const Tensor& g, const Tensor& like) {
  return g.defined() ? g : constant_like(like, 0.0);
}

// rows >= columns: gx = (gQ + Q C) R^-H, where C is M = R gR^H - gQ^H Q with its strictly upper
// part replaced by the conjugate of the lower one. The diagonal of R is real, so that of C is.
Tensor tall_gradient(const Tensor& q, const Tensor& r, const Tensor& gq, const Tensor& gr) {
  const Tensor m = mm(r, adjoint(gr)) - mm(adjoint(gq), q);
  Tensor symmetric = tril(m, 0) + adjoint(tril(m, -1));
  if (is_complex(m.dtype())) symmetric = hermitian_part(symmetric);
  return divide_adjoint(gq + mm(q, symmetric), r);
}

// With more columns than rows x = [A | B], R = [U | V]: A = Q U and V = Q^H B.
Tensor qr_gradient(const Tensor& x, const Tensor& q, const Tensor& r, const Tensor& gq,
                   const Tensor& gr) {
  const Dim rows = x.shape()[x.shape().size() - 2], columns = x.shape().back();
  if (decide_le(columns, rows, true)) return tall_gradient(q, r, gq, gr);
  const Tensor b = narrow(x, -1, rows, columns);
  const Tensor gv = narrow(gr, -1, rows, columns);
  const Tensor ga =
      tall_gradient(q, narrow(r, -1, 0, rows), gq + mm(b, adjoint(gv)), narrow(gr, -1, 0, rows));
  return concat({ga, mm(q, gv)}, Scalar(-1));
}

void vjp_qr(Vjp& v) {
  const std::string_view mode = v.text(1);
  const Tensor x = v.in(0);
  const Dim rows = x.shape()[x.shape().size() - 2], columns = x.shape().back();
  PADDLE_CHECK_RUNTIME(mode != "complete" || decide_le(rows, columns, true), "qr: x has shape ",
                       x.shape(),
                       " and mode is 'complete'; with more rows than columns Q has columns without "
                       "a derivative; use mode='reduced'.");
  Tensor q = v.out(0), r = v.out(1);
  if (mode == "r") {
    const auto factors = qr(x, "reduced");
    q = std::get<0>(factors);
    r = std::get<1>(factors);
  }
  const Tensor gq = zero_if_undefined(mode == "r" ? Tensor() : v.grad(0), q);
  v.set(0, qr_gradient(x, q, r, gq, triu(zero_if_undefined(v.grad(1), r), 0)));
}

void infer_qr(Infer& c) {
  require_matrix(c, 0);
  const std::string_view mode = c.text(1);
  PADDLE_CHECK_VALUE(mode == "reduced" || mode == "complete" || mode == "r", c.op_name(),
                     ": mode is '", mode, "'; it must be 'reduced', 'complete' or 'r'; pass one.");
  const Shape& x = c.shape(0);
  const Dim m = rows_of(x), n = columns_of(x), k = min(m, n);
  const Dim inner = mode == "complete" ? m : k;
  const Shape batch = batch_shape(x);
  c.out(0, mode == "r" ? Shape{0} : with_matrix(batch, m, inner), c.dtype(0));
  c.out(1, with_matrix(batch, inner, n), c.dtype(0));
}

// Q = H_1 ... H_k, H_i = I - tau_i v_i v_i^H, v_i = column i of x below its diagonal of ones. Its
// first columns are built from the last reflector to the first. What stands before row and column i
// is the identity still when reflector i comes, so that only the block behind them is held.
TensorList decompose_householder(Args& a) {
  const Tensor x = a.tensor(0), tau = a.tensor(1);
  const Dim rows = rows_of(x.shape()), columns = columns_of(x.shape());
  const int64_t k = tau.size(-1);
  Tensor q = narrow(narrow(identity_like(x), -2, k, rows), -1, k, columns);
  for (int64_t i = k; i-- > 0;) {
    const Tensor below = narrow(narrow(x, -2, i + 1, rows), -1, i, i + 1);
    const Tensor t = as_row(narrow(tau, -1, i, i + 1));
    const Tensor along = mm(adjoint(below), q) * t;
    const Tensor top = concat({Scalar(1) - t, -along}, Scalar(-1));
    const Tensor bottom = concat({-(below * t), q - below * along}, Scalar(-1));
    q = concat({top, bottom}, Scalar(-2));
  }
  return {q};
}

}  // namespace

void register_qr(Registry& r) {
  r.op("qr")
      .schema("qr(Tensor x, str mode=\"reduced\") -> (Tensor q, Tensor r)")
      .doc(
          "x = q r with orthonormal columns in q and upper triangular r. With m rows, n columns "
          "and k = min(m, n): mode 'reduced' gives q [..., m, k] and r [..., k, n], 'complete' q "
          "[..., m, m] and r [..., m, n], 'r' only r.",
          "paddle.linalg.qr(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .cost(cost::qr)
      .spmd(sharding::matrices)
      .opaque("a factorization by elimination")
      .amp_class(AmpClass::kHigh)
      .infer(infer_qr)
      .saves({"x", "q", "r"})
      .vjp(vjp_qr);

  r.op("householder_product")
      .schema("householder_product(Tensor x, Tensor tau) -> (Tensor out)")
      .doc(
          "The first n columns of the product of k Householder reflectors I - tau_i v_i v_i^H, "
          "whose v_i stand below the diagonal of x [..., m, n]; tau is [..., k] with k <= n <= m.",
          "paddle._C_ops.householder_product(paddle.eye(3), paddle.zeros([3]))")
      .trait(kUnsaved)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_matrix(c, 0);
        c.require_same_dtype(0, 1);
        const Shape &x = c.shape(0), &tau = c.shape(1);
        PADDLE_CHECK_VALUE(tau.size() + 1 == x.size() &&
                               decide_le(columns_of(x), rows_of(x), true) &&
                               decide_le(tau.back(), columns_of(x), true),
                           c.op_name(), ": x has shape ", x, " and tau has shape ", tau,
                           "; x must be [..., m, n] and tau [..., k] with k <= n <= m; pass what a "
                           "QR factorisation returned.");
        for (size_t d = 0; d + 1 < tau.size(); ++d) {
          PADDLE_CHECK_VALUE(decide_eq(tau[d], x[d], true), c.op_name(), ": x has shape ", x,
                             " and tau has shape ", tau,
                             "; their batch dimensions must be equal; expand one of them.");
        }
        c.out(0, x, c.dtype(0));
      })
      .decompose(decompose_householder);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cholesky factors and what is solved with triangular matrices.
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// tril(x) with half of the diagonal.
Tensor lower_half(const Tensor& x) { return tril(x, 0) - times(x * identity_like(x), 0.5); }

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool transpose) {
  return triangular_solve(a, b, upper, transpose, false);
}

// With x = L L^H and P the lower half of L^H gL: gx = the Hermitian part of L^-H P L^-1.
void vjp_cholesky(Vjp& v) {
  const bool upper = v.b(1);
  const Tensor l = upper ? adjoint(v.out()) : v.out();
  const Tensor g = upper ? adjoint(v.grad()) : v.grad();
  const Tensor lh = adjoint(l);
  const Tensor p = lower_half(mm(lh, tril(g, 0)));
  const Tensor left = solve_triangular(lh, p, true, false);
  // left L^-1 = (L^-H left^H)^H
  v.set(0, hermitian_part(adjoint(solve_triangular(lh, adjoint(left), true, false))));
}

void infer_solve_with(Infer& c, int matrix, int right) {
  require_square(c, matrix);
  require_matrix(c, right);
  c.require_same_dtype(matrix, right);
  PADDLE_CHECK_VALUE(decide_eq(rows_of(c.shape(matrix)), rows_of(c.shape(right)), true),
                     c.op_name(), ": ", c.arg_name(matrix), " has shape ", c.shape(matrix), " and ",
                     c.arg_name(right), " has shape ", c.shape(right),
                     "; they must have equally many rows; reshape one of them.");
  c.out(0, broadcast_batch_shape(c, matrix, right), c.dtype(right));
}

void vjp_triangular_solve(Vjp& v) {
  const bool upper = v.b(2), transposed = v.b(3), unit = v.b(4);
  const Tensor x = conjugate(v.in(0));
  const Tensor gy = triangular_solve(x, v.grad(), upper, !transposed, unit);
  if (v.needs(1)) v.set(1, gy);
  if (!v.needs(0)) return;
  const Tensor out = v.out();
  const Tensor product = transposed ? mm(conjugate(out), swap_last(gy)) : mm(gy, adjoint(out));
  const int64_t off = unit ? 1 : 0;
  v.set(0, -(upper ? triu(product, off) : tril(product, -off)));
}

// y is a factor: L, or U with upper.
TensorList decompose_cholesky_solve(Args& a) {
  const Tensor factor = a.tensor(1);
  const bool upper = a.b(2);
  if (upper) {
    return {solve_triangular(factor, solve_triangular(adjoint(factor), a.tensor(0), false, false),
                             true, false)};
  }
  return {solve_triangular(adjoint(factor), solve_triangular(factor, a.tensor(0), false, false),
                           true, false)};
}

}  // namespace

void register_cholesky(Registry& r) {
  r.op("cholesky")
      .schema("cholesky(Tensor x, bool upper=false) -> (Tensor out)")
      .alias("A", "x")
      .doc(
          "The triangular factor of positive definite matrices: x = L L^H, or U^H U with upper. "
          "Only that triangle of x is read. ValueError when x is not positive definite.",
          "paddle.linalg.cholesky(paddle.to_tensor([[4.0, 2.0], [2.0, 3.0]]))")
      .python("paddle.linalg.cholesky(x, upper=False, name=None)")
      .python("paddle.cholesky(x, upper=False, name=None)")
      .python("Tensor.cholesky(x, upper=False, name=None)")
      .cost(cost::cholesky)
      .spmd(sharding::matrices)
      .opaque("a factorization by elimination")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_square(c, 0);
        c.out(0, c.shape(0), c.dtype(0));
      })
      .saves({"out"})
      .vjp(vjp_cholesky);

  r.op("triangular_solve")
      .schema(
          "triangular_solve(Tensor x, Tensor y, bool upper=true, bool transpose=false, bool "
          "unitriangular=false) -> (Tensor out)")
      .doc(
          "The solution of x out = y for triangular x of shape [..., n, n], of which only the "
          "named triangle is read; transpose solves with its transpose, unitriangular takes its "
          "diagonal as ones.",
          "paddle.linalg.triangular_solve(paddle.eye(2), paddle.ones([2, 1]))")
      .python(
          "paddle.linalg.triangular_solve(x, y, upper=True, transpose=False, unitriangular=False, "
          "name=None)")
      .python(
          "paddle.triangular_solve(x, y, upper=True, transpose=False, unitriangular=False, "
          "name=None)")
      .python(
          "Tensor.triangular_solve(y, upper=True, transpose=False, unitriangular=False, name=None)")
      .cost(cost::triangular_solve)
      .spmd(sharding::equations)
      .opaque("a factorization by elimination")
      .trait(kBroadcast)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) { infer_solve_with(c, 0, 1); })
      .saves({"x", "out"})
      .vjp(vjp_triangular_solve);

  r.op("cholesky_solve")
      .schema("cholesky_solve(Tensor x, Tensor y, bool upper=false) -> (Tensor out)")
      .doc("The solution of A out = x for A = y y^H (y^H y with upper), given its factor y.",
           "paddle.linalg.cholesky_solve(paddle.ones([2, 1]), paddle.eye(2))")
      .python("paddle.linalg.cholesky_solve(x, y, upper=False, name=None)")
      .python("paddle.cholesky_solve(x, y, upper=False, name=None)")
      .python("Tensor.cholesky_solve(y, upper=False, name=None)")
      .trait(kBroadcast)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) { infer_solve_with(c, 1, 0); })
      .decompose(decompose_cholesky_solve);
}

}  // namespace paddle::ops

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues and eigenvectors.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void check_part(const Infer& c) {
  const std::string_view part = c.text(1);
  PADDLE_CHECK_VALUE(part == "L" || part == "U", c.op_name(), ": UPLO is '", part,
                     "'; it must be 'L' or 'U', the triangle of x that is read; pass one.");
}

// gx = the Hermitian part of V (diag(gw) + (V^H gV) / E) V^H with E_ij = w_j - w_i.
void vjp_eigh(Vjp& v) {
  const Tensor w = v.out(0), vectors = v.out(1);
  Tensor inner;
  if (v.has_grad(0)) inner = as_column(v.grad(0)) * identity_like(real_part(vectors));
  if (v.has_grad(1)) {
    const Tensor weight = inverse_off_diagonal(as_row(w) - as_column(w));
    inner = plus(inner, mm(adjoint(vectors), v.grad(1)) * weight);
  }
  if (inner.defined())
    v.set(0, hermitian_part(mm(mm(vectors, as_dtype(inner, vectors.dtype())), adjoint(vectors))));
}

// Of the unit-norm vectors V: gx = V^-H (diag(gw) + (V^H gV - V^H V diag(Re V^H gV)) / conj(E))
// V^H.
Tensor eig_gradient(const Tensor& w, const Tensor& vectors, const Tensor& gw, const Tensor& gv) {
  const Tensor vh = adjoint(vectors);
  Tensor inner;
  if (gw.defined()) inner = as_column(gw) * identity_like(vectors);
  if (gv.defined()) {
    const Tensor p = mm(vh, gv);
    const Tensor length = real(diagonal_of(p));
    const Tensor turn = p - mm(vh, vectors * as_row(as_dtype(length, p.dtype())));
    inner = plus(inner, turn * conj(inverse_off_diagonal(as_row(w) - as_column(w))));
  }
  return solve(vh, mm(inner, vh));
}

void set_for(Vjp& v, const Tensor& g) { v.set(0, is_complex(v.in(0).dtype()) ? g : real(g)); }

void register_hermitian(Registry& r) {
  r.op("eigh")
      .schema("eigh(Tensor x, str UPLO=\"L\") -> (Tensor out_w, Tensor out_v)")
      .alias("A", "x")
      .doc(
          "Eigenvalues, ascending, and orthonormal eigenvectors (columns) of Hermitian matrices, "
          "of which only the triangle UPLO is read.",
          "paddle.linalg.eigh(paddle.to_tensor([[2.0, 1.0], [1.0, 2.0]]))")
      .python("paddle.linalg.eigh(x, UPLO='L', name=None)")
      .python("paddle.eigh(x, UPLO='L', name=None)")
      .python("Tensor.eigh(x, UPLO='L', name=None)")
      .cost(cost::symmetric_eigenvectors)
      .spmd(sharding::matrices)
      .opaque("a factorization by iteration")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer([](Infer& c) {
        require_square(c, 0);
        check_part(c);
        const Shape& x = c.shape(0);
        c.out(0, with_vector(batch_shape(x), columns_of(x)), real_of(c.dtype(0)));
        c.out(1, x, c.dtype(0));
      })
      .saves({"out_w", "out_v"})
      .vjp(vjp_eigh);

  r.op("eigvalsh")
      .schema("eigvalsh(Tensor x, str uplo=\"L\", bool is_test=false) -> (Tensor eigenvalues)")
      .doc("Eigenvalues, ascending, of Hermitian matrices, of which the triangle uplo is read.",
           "paddle.linalg.eigvalsh(paddle.to_tensor([[2.0, 1.0], [1.0, 2.0]]))")
      .cost(cost::symmetric_eigenvalues)
      .spmd(sharding::matrices)
      .opaque("a factorization by iteration")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer([](Infer& c) {
        require_square(c, 0);
        check_part(c);
        const Shape& x = c.shape(0);
        c.out(0, with_vector(batch_shape(x), columns_of(x)), real_of(c.dtype(0)));
      })
      .saved_form([](SavedForm& f) {  // the vectors are a second result
        f.become({f.make_all("eigvalsh", f.operands(), {f.result(), f.operand(0)},
                             {{"uplo", f.attribute("uplo")}, {"is_test", true}})[0]});
      })
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Tensor vectors = std::get<1>(eigh(v.in(0), v.text(1)));
        v.set(0, mm(vectors * as_row(v.grad()), adjoint(vectors)));
      });
}

void register_general(Registry& r) {
  r.op("eig")
      .schema("eig(Tensor x) -> (Tensor out_w, Tensor out_v)")
      .alias("A", "x")
      .doc("Complex eigenvalues and unit-norm eigenvectors (columns) of square matrices.",
           "paddle.linalg.eig(paddle.to_tensor([[0.0, 1.0], [-1.0, 0.0]]))")
      .python("paddle.linalg.eig(x, name=None)")
      .python("paddle.eig(x, name=None)")
      .python("Tensor.eig(x, name=None)")
      .cost(cost::eigenvectors)
      .spmd(sharding::matrices)
      .opaque("a factorization by iteration")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer([](Infer& c) {
        require_square(c, 0);
        const Shape& x = c.shape(0);
        c.out(0, with_vector(batch_shape(x), columns_of(x)), complex_of(c.dtype(0)));
        c.out(1, x, complex_of(c.dtype(0)));
      })
      .saves({"out_w", "out_v"})
      .vjp([](Vjp& v) { set_for(v, eig_gradient(v.out(0), v.out(1), v.grad(0), v.grad(1))); });

  r.op("eigvals")
      .schema("eigvals(Tensor x) -> (Tensor out)")
      .alias("A", "x")
      .doc("Complex eigenvalues of square matrices.",
           "paddle.linalg.eigvals(paddle.to_tensor([[0.0, 1.0], [-1.0, 0.0]]))")
      .python("paddle.linalg.eigvals(x, name=None)")
      .python("paddle.eigvals(x, name=None)")
      .python("Tensor.eigvals(x, name=None)")
      .cost(cost::eigenvalues)
      .spmd(sharding::matrices)
      .opaque("a factorization by iteration")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer([](Infer& c) {
        require_square(c, 0);
        const Shape& x = c.shape(0);
        c.out(0, with_vector(batch_shape(x), columns_of(x)), complex_of(c.dtype(0)));
      })
      .saves({"x"})
      .vjp([](Vjp& v) {
        const auto [w, vectors] = eig(v.in(0));
        set_for(v, eig_gradient(w, vectors, v.grad(), Tensor()));
      });
}

}  // namespace

void register_eigen(Registry& r) {
  register_hermitian(r);
  register_general(r);
}

}  // namespace paddle::ops

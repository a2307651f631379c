// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Linear systems of square matrices: inverse, solve, determinants, powers, least squares.
#include <limits>

#include "paddle_core/dispatch/state.h"
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/linalg/matrix_exp_form.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// y is a batch of vectors: one vector, or as many as x has matrices.
bool are_vectors(const Shape& x, const Shape& y) {
  if (y.size() == 1) return true;
  if (y.size() + 1 != x.size()) return false;
  for (size_t d = 0; d < y.size(); ++d) {
    if (!decide_eq(y[d], x[d], false)) return false;
  }
  return true;
}

void infer_solve(Infer& c) {
  require_square(c, 0);
  require_factorable(c, 1);
  c.require_same_dtype(0, 1);
  c.require_rank_at_least(1, 1);
  const Shape &x = c.shape(0), &y = c.shape(1);
  const bool vectors = are_vectors(x, y);
  PADDLE_CHECK_VALUE(decide_eq(rows_of(x), vectors ? y.back() : rows_of(y), true), c.op_name(),
                     ": x has shape ", x, " and y has shape ", y,
                     "; they must have equally many rows; reshape y.");
  if (vectors) return c.out(0, with_vector(batch_shape(x), rows_of(x)), c.dtype(1));
  c.out(0, broadcast_batch_shape(c, 0, 1), c.dtype(1));
}

void vjp_solve(Vjp& v) {
  const bool vectors = are_vectors(v.in(0).shape(), v.in(1).shape());
  const Tensor g = vectors ? as_column(v.grad()) : v.grad();
  const Tensor gy = solve(adjoint(v.in(0)), g);
  if (v.needs(1)) v.set(1, vectors ? squeeze(gy, Shape{-1}) : gy);
  if (v.needs(0)) v.set(0, -mm(gy, adjoint(vectors ? as_column(v.out()) : v.out())));
}

// det(x) x^-1 as a polynomial of x, which singular matrices have too: the recurrence of Faddeev and
// LeVerrier (Gantmacher 1959, chapter IV).
Tensor adjugate_of_few(const Tensor& x, int64_t n) {
  const Tensor one = identity_like(x);
  Tensor m = one;
  for (int64_t k = 1; k < n; ++k) {
    const Tensor next = mm(x, m);
    const Tensor trace = sum(diagonal_of(next), Shape{-1}, DType::kUndefined, false);
    m = next - one * as_column(as_column(times(trace, 1.0 / static_cast<double>(k))));
  }
  return n % 2 == 0 ? -m : m;
}

// x, or what is close to it where it is singular: the zeros on the diagonal of its triangular
// factor become small numbers, so that det(x') x'^-1 is close to the polynomial above.
Tensor made_invertible(const Tensor& x) {
  const ModeGuard constant(kModeAutograd);
  const auto [factors, pivots, infos] = lu(x, true);
  const auto [p, lower, upper] = lu_unpack(factors, pivots, true, true);
  const Tensor d = diagonal_of(upper), zero = constant_like(real_part(d), 0.0);
  const Tensor size = max(max(abs(x), Shape{-1}, false), Shape{-1}, true);
  const Tensor one = constant_like(size, 1.0);
  const double rounding = real_of(x.dtype()) == DType::kFloat64 ? 1e-8 : 1e-4;
  const Tensor small = times(where(equal(size, constant_like(size, 0.0)), one, size), rounding);
  const Tensor steps = where(equal(abs(d), zero), zero + small, zero);
  return x + mm(mm(p, lower), as_dtype(as_column(steps), x.dtype()) * identity_like(x));
}

void vjp_det(Vjp& v) {
  constexpr int64_t kFew = 4;  // rows; of more, rounding would outgrow that of the inverse
  const Tensor x = v.in(0), g = as_column(as_column(v.grad()));
  const Dim n = columns_of(x.shape());
  if (!n.is_symbolic() && n.value() <= kFew)
    return v.set(0, g * adjoint(adjugate_of_few(x, n.value())));
  const Tensor near = made_invertible(x);
  v.set(0, g * as_column(as_column(conjugate(det(near)))) * adjoint(inverse(near)));
}

// The sign is constant for real matrices; for complex ones it is det / |det|, whose gradient adds
// i Im(conj(sign) g) to that of the logarithm. Singular matrices have none: NaN.
void vjp_slogdet(Vjp& v) {
  const Tensor g = v.grad();
  Tensor scale = squeeze(narrow(g, 0, 1, 2), Shape{0});
  if (is_complex(g.dtype())) {
    const Tensor sign = squeeze(narrow(v.out(), 0, 0, 1), Shape{0});
    const Tensor turn = imag(squeeze(narrow(g, 0, 0, 1), Shape{0}) * conj(sign));
    scale = as_dtype(real(scale), g.dtype()) +
            as_dtype(turn, g.dtype()) * Scalar(std::complex<double>(0, 1));
  }
  const Tensor log = real_part(squeeze(narrow(v.out(), 0, 1, 2), Shape{0}));
  const Tensor nan = constant_like(log, std::numeric_limits<double>::quiet_NaN());
  const Tensor none = as_column(as_column(where(isinf(log), nan, constant_like(log, 0.0))));
  const Tensor x = v.in(0) + as_dtype(none, v.in(0).dtype());
  v.set(0, as_column(as_column(scale)) * adjoint(inverse(x)));
}

TensorList decompose_matrix_power(Args& a) {
  const int64_t power = a.i(1);
  Tensor base = power < 0 ? inverse(a.tensor(0)) : a.tensor(0), out;
  for (uint64_t n = power < 0 ? -uint64_t(power) : uint64_t(power); n; n >>= 1) {
    if (n & 1) out = out.defined() ? mm(out, base) : base;
    if (n > 1) base = mm(base, base);
  }
  if (!out.defined()) {  // of x, whose gradient is 0
    const Tensor one = identity_like(a.tensor(0));
    return {where(full(one.shape(), Scalar(false), DType::kBool, one.place()), a.tensor(0), one)};
  }
  return {a.i(1) == 1 ? assign(out) : out};
}

// exp as a function of a matrix: the gradient is the derivative at x^H in direction g, which is the
// upper right block of exp([[x^H, g], [0, x^H]]).
void vjp_matrix_exp(Vjp& v) {
  const Tensor xh = adjoint(v.in(0)), g = v.grad();
  const Dim n = columns_of(xh.shape());
  const Tensor top = concat({xh, g}, Scalar(-1));
  const Tensor bottom = concat({constant_like(xh, 0.0), xh}, Scalar(-1));
  const Tensor e = matrix_exp(concat({top, bottom}, Scalar(-2)));
  v.set(0, narrow(narrow(e, -2, 0, n), -1, n, n + n));
}

void infer_lstsq(Infer& c) {
  require_matrix(c, 0);
  require_matrix(c, 1);
  c.require_same_dtype(0, 1);
  const Shape &x = c.shape(0), &y = c.shape(1);
  const std::string_view driver = c.text(3);
  PADDLE_CHECK_VALUE(
      driver == "gels" || driver == "gelsy" || driver == "gelsd" || driver == "gelss", c.op_name(),
      ": driver is '", driver, "'; it must be 'gels', 'gelsy', 'gelsd' or 'gelss'; pass one.");
  PADDLE_CHECK_VALUE(decide_eq(rows_of(x), rows_of(y), true), c.op_name(), ": x has shape ", x,
                     " and y has shape ", y, "; they must have equally many rows; reshape y.");
  const Dim m = rows_of(x), n = columns_of(x), k = columns_of(y);
  const Shape batch = batch_shape(broadcast_batch_shape(c, 0, 1));
  const bool by_values = driver == "gelsd" || driver == "gelss";
  const bool residuals = driver != "gelsy" && !decide_le(m, n, false);
  c.out(0, with_matrix(batch, n, k), c.dtype(0));
  c.out(1, residuals ? with_vector(batch, k) : Shape{0}, real_of(c.dtype(0)));
  c.out(2, batch, DType::kInt32);
  c.out(3, by_values ? with_vector(batch, min(m, n)) : Shape{0}, real_of(c.dtype(0)));
}

// The solution is P y with the pseudoinverse P of x; see vjp_pinv. The residuals have no derivative
// in the solution, which makes them smallest.
void vjp_lstsq(Vjp& v) {
  const Tensor x = v.in(0), solution = v.out(0);
  const Tensor rest = v.in(1) - mm(x, solution);
  Tensor gx, gy;
  const auto add = [](Tensor& sum, const Tensor& g) { sum = sum.defined() ? sum + g : g; };
  const auto reaches = [&](int k) {
    return v.has_grad(k) && !decide_eq(numel_of(v.out(k).shape()), 0, false);
  };
  if (v.has_grad(0)) {
    const Tensor rcond = full(Shape(), v.scalar(2), real_of(x.dtype()), x.place());
    const Tensor g = v.grad(0), p = pinv(x, rcond, false), ph = adjoint(p);
    gy = mm(ph, g);
    gx = mm(rest, adjoint(mm(p, gy))) + mm(mm(ph, solution), adjoint(g - mm(p, mm(x, g)))) -
         mm(gy, adjoint(solution));
  }
  if (reaches(1)) {
    const Tensor g = times(rest * as_row(v.grad(1)), 2.0);
    add(gy, g);
    add(gx, -mm(g, adjoint(solution)));
  }
  if (reaches(3)) {
    const auto [u, s, vh] = svd(x, false);
    add(gx, mm(u * as_row(v.grad(3)), vh));
  }
  v.set(0, gx);
  v.set(1, gy);
}

void infer_square(Infer& c) {
  require_square(c, 0);
  c.out(0, c.shape(0), c.dtype(0));
}

void register_systems(Registry& r) {
  r.op("inverse")
      .schema("inverse(Tensor x) -> (Tensor out)")
      .alias("A", "x")
      .doc(
          "The inverses of square matrices.\n"
          "x: A floating or complex Tensor of shape [..., n, n].\n"
          "Returns: A Tensor of the shape and dtype of x.\n"
          "Raises: ValueError: A matrix is singular or not square.",
          "paddle.inverse(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()  # [[0.5, 0.0], "
          "[0.0, 0.25]]")
      .python("paddle.inverse(x, name=None)")
      .python("paddle.linalg.inv(x, name=None)")
      .python("Tensor.inverse(x, name=None)")
      .cost(cost::inverse)
      .spmd(sharding::matrices)
      .opaque("linear equations are solved by elimination")
      .amp_class(AmpClass::kHigh)
      .infer(infer_square)
      .saves({"out"})
      .vjp([](Vjp& v) {
        const Tensor h = adjoint(v.out());
        v.set(0, -mm(mm(h, v.grad()), h));
      });

  r.op("solve")
      .schema("solve(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "The solution of x out = y for square x [..., n, n] and y [..., n, k], or vectors y "
          "[..., n]. ValueError for a singular x.",
          "paddle._C_ops.solve(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]]), paddle.ones([2, 1]))")
      .cost(cost::solve)
      .spmd(sharding::equations)
      .opaque("linear equations are solved by elimination")
      .trait(kBroadcast)
      .amp_class(AmpClass::kHigh)
      .infer(infer_solve)
      .saves({"x", "out"})
      .vjp(vjp_solve);
}

void register_determinants(Registry& r) {
  r.op("det")
      .schema("det(Tensor x) -> (Tensor out)")
      .alias("A", "x")
      .doc("The determinants of square matrices.",
           "paddle.linalg.det(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .python("paddle.linalg.det(x, name=None)")
      .python("paddle.det(x, name=None)")
      .python("Tensor.det(x, name=None)")
      .cost(cost::lu)
      .spmd(sharding::matrices)
      .opaque("linear equations are solved by elimination")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_square(c, 0);
        c.out(0, batch_shape(c.shape(0)), c.dtype(0));
      })
      .saves({"x", "out"})
      .vjp(vjp_det);

  r.op("slogdet")
      .schema("slogdet(Tensor x) -> (Tensor out)")
      .alias("A", "x")
      .doc(
          "Signs and logarithms of the absolute determinants of square matrices, as one tensor "
          "[2, ...]; a singular matrix gives 0 and -inf.",
          "paddle.linalg.slogdet(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))")
      .python("paddle.linalg.slogdet(x, name=None)")
      .python("paddle.slogdet(x, name=None)")
      .python("Tensor.slogdet(x, name=None)")
      .cost(cost::lu)
      .spmd(sharding::log_determinants)
      .opaque("linear equations are solved by elimination")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_square(c, 0);
        Shape out{2};
        for (const Dim d : batch_shape(c.shape(0))) out.push_back(d);
        c.out(0, out, c.dtype(0));
      })
      .saves({"x", "out"})
      .vjp(vjp_slogdet);
}

void register_matrix_functions(Registry& r) {
  r.op("matrix_power")
      .schema("matrix_power(Tensor x, int n) -> (Tensor out)")
      .alias("A", "x")
      .doc("Square matrices to the power n; a negative n takes powers of the inverse.",
           "paddle.linalg.matrix_power(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), 3)")
      .python("paddle.linalg.matrix_power(x, n, name=None)")
      .python("paddle.matrix_power(x, n, name=None)")
      .python("Tensor.matrix_power(n, name=None)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_square)
      .decompose(decompose_matrix_power);

  r.op("matrix_exp")
      .schema("matrix_exp(Tensor x) -> (Tensor out)")
      .alias("A", "x")
      .doc(
          "The exponential of square matrices, by scaling, a Pade approximant and squaring (Higham "
          "2005).",
          "paddle.linalg.matrix_exp(paddle.zeros([2, 2]))")
      .python("paddle.linalg.matrix_exp(x, name=None)")
      .spmd(sharding::matrices)
      .opaque("linear equations are solved by elimination")
      .amp_class(AmpClass::kHigh)
      .infer(infer_square)
      .saved_form(write_matrix_exp)
      .saves({"x"})
      .vjp(vjp_matrix_exp);
}

void register_least_squares(Registry& r) {
  r.op("lstsq")
      .schema(
          "lstsq(Tensor x, Tensor y, Scalar@operand rcond=0.0, str driver=\"gels\") -> (Tensor "
          "solution, Tensor residuals, Tensor rank, Tensor singular_values)")
      .doc(
          "The least-squares solution of x out = y (of least norm where there are several), its "
          "sums of squared residuals (for more rows than columns), the ranks of x, and, with the "
          "drivers 'gelsd' and 'gelss', its singular values. Values below rcond times the largest "
          "count as 0. All but the ranks have derivatives.",
          "paddle.linalg.lstsq(paddle.ones([3, 1]), paddle.ones([3, 2]))")
      .amp_class(AmpClass::kHigh)
      .spmd(sharding::matrices)
      .opaque("linear equations are solved by elimination")
      .infer(infer_lstsq)
      .saves({"x", "y", "solution"})
      .vjp(vjp_lstsq);
}

}  // namespace

void register_solve(Registry& r) {
  register_systems(r);
  register_determinants(r);
  register_matrix_functions(r);
  register_least_squares(r);
}

}  // namespace paddle::ops

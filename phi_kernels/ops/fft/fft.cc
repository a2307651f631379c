// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Discrete Fourier transforms over any axes: complex to complex, real to complex, complex to real.
// All are linear, so a gradient is the adjoint transform: the other direction with the same factor.
#include "phi_kernels/ops/fft.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/creation/counted.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// The normalisation under which the other direction has the same factor.
std::string_view opposite(std::string_view normalization) {
  if (normalization == "backward") return "forward";
  return normalization == "forward" ? "backward" : normalization;
}

Axes check_call(const Infer& c) {
  Axes axes;
  PADDLE_CHECK_VALUE(c.rank(0) > 0, c.op_name(),
                     ": x has shape []; it must have an axis to transform; reshape it to [1].");
  SmallVector<bool, 8> seen(c.shape(0).size(), false);
  for (const Dim d : c.ints(1)) {
    const int64_t a = normalize_axis(d.value(), c.rank(0), c.op_name(), "axes");
    PADDLE_CHECK_VALUE(!seen[size_t(a)], c.op_name(), ": axes names dimension ", a,
                       " twice; an axis is transformed once; remove one.");
    seen[size_t(a)] = true;
    PADDLE_CHECK_VALUE(!decide_eq(c.shape(0)[size_t(a)], 0, false), c.op_name(), ": x has shape ",
                       c.shape(0), "; a transformed axis must have elements; pass n > 0.");
    axes.push_back(a);
  }
  PADDLE_CHECK_VALUE(!axes.empty(), c.op_name(),
                     ": axes is empty; at least one axis must be transformed; name it.");
  const std::string_view norm = c.text(2);
  PADDLE_CHECK_VALUE(norm == "backward" || norm == "ortho" || norm == "forward", c.op_name(),
                     ": normalization is '", norm,
                     "'; it must be 'backward', 'ortho' or 'forward'; pass one.");
  return axes;
}

void require_complex(const Infer& c) {
  PADDLE_CHECK_TYPE(is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; it must be complex; cast it with astype('complex64').");
}

int64_t last_axis(const Shape& axes, int64_t rank) {
  const int64_t a = axes.back().value();
  return a < 0 ? a + rank : a;
}

// `edge` for the frequencies that stand once in the whole spectrum of n elements (the first, and
// the last of an even n), `inside` for those that stand for two; along `axis` of a tensor of rank
// `rank`.
Tensor spectrum_weights(const Tensor& like, int64_t axis, Dim n, double edge, double inside) {
  const Dim stored = floordiv(n, 2) + 1;
  const Tensor k = counted(stored, like.place());
  const Tensor first = full(Shape(), Scalar(int64_t{0}), DType::kInt64, like.place());
  const Tensor last = extent_number(n, DType::kInt64, like.place());
  const Tensor once = logical_or(equal(k, first), equal(k * Scalar(int64_t{2}), last));
  const DType t = real_of(like.dtype());
  Shape shape(static_cast<size_t>(like.ndim()), Dim(1));
  shape[static_cast<size_t>(axis)] = stored;
  return reshape(where(once, full(Shape(), Scalar(edge), t, like.place()),
                       full(Shape(), Scalar(inside), t, like.place())),
                 shape);
}

// g followed by zeros, of n elements along `axis`.
Tensor lengthened(const Tensor& g, int64_t axis, Dim n) {
  Shape rest = g.shape();
  Dim& missing = rest[static_cast<size_t>(axis)];
  if (decide_le(n, missing, false)) return g;
  missing = n - missing;
  return concat({g, zeros(rest, g)}, Scalar(axis));
}

void vjp_r2c(Vjp& v) {
  const Shape axes = v.ints(1);
  const std::string_view norm = opposite(v.text(2));
  const bool forward = v.b(3);
  const Tensor g = v.grad();
  if (!v.b(4)) return v.set(0, real(fft_c2c(g, axes, norm, !forward)));
  const int64_t axis = last_axis(axes, g.ndim());
  const Dim n = v.in(0).shape()[static_cast<size_t>(axis)];
  if (n.is_symbolic()) return v.set(0, real(fft_c2c(lengthened(g, axis, n), axes, norm, !forward)));
  // c2r counts the inner frequencies twice; here each stands once.
  const Tensor weights = spectrum_weights(g, axis, n, 1, 0.5);
  v.set(0, fft_c2r(g * weights, axes, norm, !forward, n.value()));
}

void vjp_c2r(Vjp& v) {
  const Shape axes = v.ints(1);
  const Tensor g = v.grad();
  const int64_t axis = last_axis(axes, g.ndim());
  const auto at = static_cast<size_t>(axis);
  const Tensor spectrum = fft_r2c(g, axes, opposite(v.text(2)), !v.b(3), true);
  const Tensor out = spectrum * spectrum_weights(spectrum, axis, g.shape()[at], 1, 2);
  v.set(0, lengthened(out, axis, v.in(0).shape()[at]));
}

void infer_c2r(Infer& c) {
  require_complex(c);
  const Axes axes = check_call(c);
  Shape out = c.shape(0);
  Dim& last = out[size_t(axes.back())];
  const Dim stored = last;
  last = c.i(4) > 0 ? Dim(c.i(4)) : (stored - 1) * 2;
  PADDLE_CHECK_VALUE(
      c.i(4) >= 0 && decide_le(1, last, true) && decide_le(floordiv(last, 2) + 1, stored, true),
      c.op_name(), ": x has shape ", c.shape(0), " and last_dim_size is ", c.i(4), "; ", last,
      " real values need ", floordiv(last, 2) + 1,
      " frequencies along the last of axes; pad x or pass a smaller size.");
  c.out(0, out, real_of(c.dtype(0)));
}

}  // namespace

void register_fft(Registry& r) {
  r.op("fft_c2c")
      .schema("fft_c2c(Tensor x, int64[] axes, str normalization, bool forward) -> (Tensor out)")
      .doc(
          "The discrete Fourier transform of complex x over axes; forward=False is the inverse. "
          "normalization 'backward' divides the inverse by the number n of elements, 'forward' the "
          "forward transform, 'ortho' both by sqrt(n).",
          "paddle._C_ops.fft_c2c(paddle.to_tensor([1j, 2.0]), [0], 'backward', True)")
      .cost(cost::fft)
      .spmd(sharding::fourier)
      .opaque("a Fourier transform; its algorithm depends on the length")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_complex(c);
        check_call(c);
        c.out(0, c.shape(0), c.dtype(0));
      })
      .saves({})
      .vjp([](Vjp& v) { v.set(0, fft_c2c(v.grad(), v.ints(1), opposite(v.text(2)), !v.b(3))); });

  r.op("fft_r2c")
      .schema(
          "fft_r2c(Tensor x, int64[] axes, str normalization, bool forward, bool onesided) -> "
          "(Tensor out)")
      .doc(
          "The discrete Fourier transform of real x over axes. onesided keeps only the first n / 2 "
          "+ 1 frequencies along the last of axes; the others are their conjugates.",
          "paddle._C_ops.fft_r2c(paddle.to_tensor([1.0, 2.0]), [0], 'backward', True, True)")
      .cost(cost::fft)
      .spmd(sharding::fourier)
      .opaque("a Fourier transform; its algorithm depends on the length")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        const DType t = c.dtype(0);
        PADDLE_CHECK_TYPE(t == DType::kFloat32 || t == DType::kFloat64, c.op_name(),
                          ": x has dtype ", t,
                          "; it must be float32 or float64; cast it with astype('float32').");
        const Axes axes = check_call(c);
        Shape out = c.shape(0);
        if (c.b(4)) out[size_t(axes.back())] = floordiv(out[size_t(axes.back())], 2) + 1;
        c.out(0, out, complex_of(t));
      })
      .saves({})
      .vjp(vjp_r2c);

  r.op("fft_c2r")
      .schema(
          "fft_c2r(Tensor x, int64[] axes, str normalization, bool forward, int64 last_dim_size=0) "
          "-> (Tensor out)")
      .doc(
          "The real transform of a spectrum x whose last of axes holds the first n / 2 + 1 "
          "frequencies; n is last_dim_size, or 2 (m - 1) for m of them.",
          "paddle._C_ops.fft_c2r(paddle.to_tensor([3.0 + 0j, -1.0]), [0], 'backward', False, 2)")
      .cost(cost::fft)
      .spmd(sharding::fourier)
      .opaque("a Fourier transform; its algorithm depends on the length")
      .amp_class(AmpClass::kHigh)
      .infer(infer_c2r)
      .saves({})
      .vjp(vjp_c2r);
}

}  // namespace paddle::ops

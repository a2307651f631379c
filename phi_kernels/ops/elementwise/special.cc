// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Special functions: inverse hyperbolic, gamma and Bessel functions, erfinv, logit.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

constexpr const char* kSeries = "a special function, computed by series and fractions";
constexpr double kHalfSqrtPi = 0.88622692545275801;

Tensor polygamma_of(const Tensor& x, int64_t n) { return polygamma(x, n); }

// A function of real numbers: its record but for the derivative. Integers give float32.
OpDef& special_function(OpDef& op, const char* doc, const char* point) {
  const std::string name = op.name();
  return op.doc(doc, "paddle." + name + "(paddle.to_tensor([" + point + "]))")
      .python("paddle." + name)
      .python("Tensor." + name)
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float);
}

OpDef& with_inplace(OpDef& op) {
  const std::string name = op.name();
  return op.inplace_python("paddle." + name + "_").inplace_python("Tensor." + name + "_");
}

void register_hyperbolic(Registry& r) {
  with_inplace(special_function(r.op("acosh").schema("acosh(Tensor x) -> (Tensor out)"),
                                "Inverse hyperbolic cosine; NaN below 1.", "1.5, 2.0"))
      .primitive("transcendental")
      .saves({"x"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0);
        // Of complex x, the root of the product would change its sign left of the imaginary axis.
        const Tensor slope = is_complex(x.dtype()) ? rsqrt(x - Scalar(1)) * rsqrt(x + Scalar(1))
                                                   : rsqrt(square(x) - Scalar(1));
        v.set(0, v.grad() * conj_of(slope));
      });
  with_inplace(special_function(r.op("asinh").schema("asinh(Tensor x) -> (Tensor out)"),
                                "Inverse hyperbolic sine.", "0.5, 2.0"))
      .primitive("transcendental")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * conj_of(rsqrt(square(v.in(0)) + Scalar(1)))); });
  with_inplace(special_function(r.op("atanh").schema("atanh(Tensor x) -> (Tensor out)"),
                                "Inverse hyperbolic tangent; NaN outside [-1, 1].", "0.25, 0.5"))
      .primitive("transcendental")
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() / conj_of(Scalar(1) - square(v.in(0)))); });
}

// The slope of Q(a, x) in x: -x^(a - 1) exp(-x) / gamma(a).
void gammaincc_vjp(Vjp& v) {
  if (!v.needs(1)) return;
  const Tensor a = v.in(0), x = v.in(1);
  const Tensor density = exp((a - Scalar(1)) * log(x) - x - lgamma(a));
  v.set(1, -(v.grad() * density));
}

void register_gamma(Registry& r) {
  with_inplace(special_function(r.op("lgamma").schema("lgamma(Tensor x) -> (Tensor out)"),
                                "log |gamma(x)|.", "0.5, 3.0"))
      .opaque(kSeries)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * digamma(v.in(0))); });
  with_inplace(special_function(r.op("gammaln").schema("gammaln(Tensor x) -> (Tensor out)"),
                                "log |gamma(x)|.", "0.5, 3.0"))
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * digamma(v.in(0))); })
      .decompose([](Args& a) -> TensorList { return {lgamma(a.tensor(0))}; });
  with_inplace(special_function(r.op("digamma").schema("digamma(Tensor x) -> (Tensor out)"),
                                "The logarithmic derivative of the gamma function.", "0.5, 3.0"))
      .opaque(kSeries)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * polygamma_of(v.in(0), 1)); });
  r.op("polygamma")
      .schema("polygamma(Tensor x, int n) -> (Tensor out)")
      .doc("The n-th derivative of digamma, n >= 0.",
           "paddle.polygamma(paddle.to_tensor([2.0]), 1)")
      .python("paddle.polygamma(x, n, name=None)")
      .python("Tensor.polygamma(n, name=None)")
      .inplace_python("paddle.polygamma_(x, n, name=None)")
      .inplace_python("Tensor.polygamma_(n, name=None)")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.i(1) >= 0, "polygamma: n has value ", c.i(1),
                           "; the order of a derivative must be >= 0; pass such a number.");
        infer_float(c);
      })
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * polygamma(v.in(0), v.i(1) + 1)); })
      .opaque(kSeries);
  r.op("gammaincc")
      .schema("gammaincc(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "The regularised upper incomplete gamma function Q(x, y) for x, y >= 0; differentiable "
          "in y only, x is the order.",
          "paddle.gammaincc(paddle.to_tensor([0.5]), paddle.to_tensor([2.0]))")
      .python("paddle.gammaincc")
      .python("Tensor.gammaincc")
      .inplace_python("paddle.gammaincc_")
      .inplace_python("Tensor.gammaincc_")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kHigh)
      .infer(infer_real_floats)
      .saves({"x", "y"})
      .vjp(gammaincc_vjp)
      .opaque(kSeries);
}

void register_bessel(Registry& r) {
  with_inplace(special_function(r.op("i0").schema("i0(Tensor x) -> (Tensor out)"),
                                "Modified Bessel function of the first kind, order 0.", "0.5, 3.0"))
      .opaque(kSeries)
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * i1(v.in(0))); });
  special_function(r.op("i0e").schema("i0e(Tensor x) -> (Tensor out)"), "exp(-|x|) * i0(x).",
                   "0.5, 3.0")
      .opaque(kSeries)
      .saves({"x", "out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * (i1e(v.in(0)) - sign(v.in(0)) * v.out())); });
  // i1'(x) = i0(x) - i1(x) / x, which is 1/2 at 0; written so that no 0 / 0 enters the graph.
  special_function(r.op("i1").schema("i1(Tensor x) -> (Tensor out)"),
                   "Modified Bessel function of the first kind, order 1.", "0.5, 3.0")
      .opaque(kSeries)
      .saves({"x", "out"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), zero = equal(x, zero_of(x));
        const Tensor safe = where(zero, scalar_like(x, Scalar(1)), x);
        const Tensor ratio = where(zero, scalar_like(x, Scalar(0.5)), v.out() / safe);
        v.set(0, v.grad() * (i0(x) - ratio));
      });
  special_function(r.op("i1e").schema("i1e(Tensor x) -> (Tensor out)"), "exp(-|x|) * i1(x).",
                   "0.5, 3.0")
      .opaque(kSeries)
      .saves({"x", "out"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), zero = equal(x, zero_of(x));
        const Tensor safe = where(zero, scalar_like(x, Scalar(1)), x);
        const Tensor ratio = where(zero, scalar_like(x, Scalar(0.5)), v.out() / safe);
        v.set(0, v.grad() * (i0e(x) - sign(x) * v.out() - ratio));
      });
}

}  // namespace

void register_special(Registry& r) {
  register_hyperbolic(r);
  register_gamma(r);
  register_bessel(r);
  with_inplace(special_function(r.op("erfinv").schema("erfinv(Tensor x) -> (Tensor out)"),
                                "The y in [-inf, inf] with erf(y) = x.", "0.25, -0.5"))
      .opaque(kSeries)
      .saves({"out"})
      .vjp([](Vjp& v) { v.set(0, v.grad() * (exp(square(v.out())) * Scalar(kHalfSqrtPi))); });
  r.op("logit")
      .schema("logit(Tensor x, double eps=1e-6) -> (Tensor out)")
      .doc(
          "log(x / (1 - x)), with x limited to [eps, 1 - eps] first; eps = 0 limits nothing and "
          "gives NaN outside [0, 1].",
          "paddle.logit(paddle.to_tensor([0.25, 0.5]))")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_float)
      .decompose([](Args& a) -> TensorList {
        Tensor x = a.tensor(0);
        if (is_int_or_bool(x.dtype())) x = cast(x, DType::kFloat32);
        const double eps = a.f(1);
        if (eps > 0) x = clip(x, Scalar(eps), Scalar(1 - eps));
        return {log(x / (Scalar(1) - x))};
      });
}

}  // namespace paddle::ops

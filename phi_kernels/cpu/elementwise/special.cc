// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of special functions and of the rarer arithmetic: inverse hyperbolic functions, the gamma
// and Bessel families, copysign, nextafter, shifts, gcd, lcm. Dtypes without a loop of their own
// compute in float32, as their results are.
#include <algorithm>
#include <complex>
#include <type_traits>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/functors/special.h"
#include "phi_kernels/functors/through_double.h"

namespace paddle::cpu {
namespace {

using Complex = std::complex<double>;

template <typename T, auto F>
void unary_loop(int64_t n, void* out, const void* const* in, const int64_t* stride,
                const Params& p) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in[0]);
  for (int64_t i = 0; i < n; ++i) o[i] = T(F(x[i * stride[0]], p));
}

template <typename T, auto F>
void binary_loop(int64_t n, void* out, const void* const* in, const int64_t* stride,
                 const Params&) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  for (int64_t i = 0; i < n; ++i) o[i] = T(F(x[i * stride[0]], y[i * stride[1]]));
}

template <typename T>
constexpr Loop loop_of(Inner fn) {
  return {fn, DTypeOf<T>::value, DTypeOf<T>::value};
}

const Loop& single_loop(int op) { return loop_tables.unary[op][static_cast<int>(DType::kFloat32)]; }

// float64 by F, which takes a double and the parameters; all else in float32 by the vectorised
// loop. The order of a polygamma is the only parameter there is.
template <int kOp, auto F>
void real_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0)};
  const bool wide = in[0]->dtype == DType::kFloat64;
  run_loop(wide ? loop_of<double>(unary_loop<double, F>) : single_loop(kOp), k.out(0), in, 1,
           Params());
}

// The same where the vectorised loop takes positive arguments only.
template <int kOp, auto F>
void positive_loop(int64_t n, void* out, const void* const* in, const int64_t* stride,
                   const Params& p) {
  float* o = static_cast<float*>(out);
  const float* x = static_cast<const float*>(in[0]);
  constexpr int64_t kRun = 256;
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t count = std::min(kRun, n - i);
    const void* run = x + i * stride[0];
    int outside = 0;
    for (int64_t j = i; j < i + count; ++j) {
      const float v = x[j * stride[0]];
      outside += v > 0 && v < math::kGammaEnd ? 0 : 1;
    }
    if (outside == 0) {
      single_loop(kOp).fn(count, o + i, &run, stride, p);
    } else {
      for (int64_t j = i; j < i + count; ++j) {
        o[j] = static_cast<float>(F(static_cast<double>(x[j * stride[0]]), p));
      }
    }
  }
}
template <int kOp, auto F>
void gamma_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0)};
  Params p;
  if (k.op().num_args > 1) p.i = k.i(1);
  // The vectorised polygamma makes powers by products: only for orders of a few.
  const bool scalar = kOp == kPolygamma && (p.i == 0 || p.i > 32);
  const bool wide = in[0]->dtype == DType::kFloat64 || scalar;
  const Loop loop = wide && in[0]->dtype == DType::kFloat64 ? loop_of<double>(unary_loop<double, F>)
                    : wide                                  ? loop_of<float>(unary_loop<float, F>)
                                                            : loop_of<float>(positive_loop<kOp, F>);
  run_loop(loop, k.out(0), in, 1, p);
}

template <int kOp, auto C>
void complex_too_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0)};
  const DType computed = in[0]->dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const Loop loop = is_complex(in[0]->dtype) ? loop_of<Complex>(unary_loop<Complex, C>)
                                             : loop_tables.unary[kOp][static_cast<int>(computed)];
  run_loop(loop, k.out(0), in, 1, Params());
}

// float64 and, for the other floats, float32.
template <int kOp>
void tabled_pair_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0), &k.in(1)};
  const DType computed = in[0]->dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  run_loop(loop_tables.binary[kOp][static_cast<int>(computed)], k.out(0), in, 2, Params());
}
template <typename T, int kOp>
void tabled_integer_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0), &k.in(1)};
  run_loop(loop_tables.binary[kOp][static_cast<int>(DTypeOf<T>::value)], k.out(0), in, 2, Params());
}

template <auto F>
void pair_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0), &k.in(1)};
  const Loop loop = in[0]->dtype == DType::kFloat64 ? loop_of<double>(binary_loop<double, F>)
                                                    : loop_of<float>(binary_loop<float, F>);
  run_loop(loop, k.out(0), in, 2, Params());
}

template <typename T, auto F>
void integer_pair_kernel(KernelContext& k) {
  const TensorImpl* in[] = {&k.in(0), &k.in(1)};
  run_loop(loop_of<T>(binary_loop<T, F>), k.out(0), in, 2, Params());
}

// Shifts of as many places as the type has bits, or of a negative number of places, leave nothing
// but the sign.
template <typename T>
T shift_left(T x, T y) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  return y < 0 || y >= T(kBits) ? T(0) : static_cast<T>(static_cast<U>(x) << y);
}
template <typename T>
T shift_right(T x, T y) {
  constexpr int kBits = 8 * sizeof(T);
  if (y < 0 || y >= T(kBits)) return x < 0 ? T(-1) : T(0);
  return static_cast<T>(x >> y);
}
template <typename T>
T shift_right_logical(T x, T y) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  return y < 0 || y >= T(kBits) ? T(0) : static_cast<T>(static_cast<U>(x) >> y);
}

template <typename T>
void shift_right_kernel(KernelContext& k) {
  if (k.b(2) && sizeof(T) >= 4) return tabled_integer_kernel<T, kShiftRight>(k);
  return k.b(2) ? integer_pair_kernel<T, shift_right<T>>(k)
                : integer_pair_kernel<T, shift_right_logical<T>>(k);
}

template <typename T>
T gcd(T x, T y) {
  using U = std::make_unsigned_t<T>;
  U a = x < 0 ? U(0) - U(x) : U(x), b = y < 0 ? U(0) - U(y) : U(y);
  while (b) {
    const U rest = static_cast<U>(a % b);
    a = b;
    b = rest;
  }
  return static_cast<T>(a);
}
template <typename T>
T lcm(T x, T y) {
  using U = std::make_unsigned_t<T>;
  const T g = gcd(x, y);
  if (g == 0) return 0;
  const U a = x < 0 ? U(0) - U(x) : U(x), b = y < 0 ? U(0) - U(y) : U(y);
  return static_cast<T>(a / U(g) * b);
}

double real_gcd(double x, double y) {
  double a = std::fabs(x), b = std::fabs(y);
  while (b > 0 && a < math::kInf) {
    const double rest = std::fmod(a, b);
    a = b;
    b = rest;
  }
  return a;
}
double real_lcm(double x, double y) {
  const double g = real_gcd(x, y);
  return g == 0 ? 0 : std::fabs(x / g * y);
}

template <typename T>
T truncated_quotient(T x, T y) {
  PADDLE_CHECK_VALUE(y != 0,
                     "trunc_divide: y has value 0; integer division by zero is undefined; use a "
                     "divisor other than 0.");
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (y == T(-1)) return static_cast<T>(U(0) - static_cast<U>(x));
  }
  return static_cast<T>(x / y);
}

template <typename T>
T copied_sign(T x, T y) {
  if constexpr (std::is_signed_v<T>) return (x < 0) != (y < 0) ? T(-x) : x;
  return x;
}

double checked_gamma_q(double a, double x) {
  PADDLE_CHECK_VALUE(!(a < 0) && !(x < 0), "gammaincc: x has value ", a, " and y has value ", x,
                     "; both must be >= 0; clip them first.");
  return math::gamma_q(a, x);
}

using P = const Params&;

void add(Registry& r, const char* op, KernelFn fn, std::initializer_list<DType> dtypes) {
  r.kernel(op, DeviceKind::kCpu, dtypes, fn, true);
}
void add_real(Registry& r, const char* op, KernelFn fn) {
  add(r, op, fn,
      {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
       DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64});
}
void add_complex_too(Registry& r, const char* op, KernelFn fn) {
  add_real(r, op, fn);
  add(r, op, fn, {DType::kComplex64, DType::kComplex128});
}
void add_float(Registry& r, const char* op, KernelFn fn) {
  add(r, op, fn, {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64});
}

template <typename T>
void add_integer(Registry& r) {
  constexpr DType t = DTypeOf<T>::value;
  constexpr bool tabled = sizeof(T) >= 4;
  add(r, "bitwise_left_shift",
      tabled ? tabled_integer_kernel<T, kShiftLeft> : integer_pair_kernel<T, shift_left<T>>, {t});
  add(r, "bitwise_right_shift", shift_right_kernel<T>, {t});
  add(r, "gcd", integer_pair_kernel<T, gcd<T>>, {t});
  add(r, "lcm", integer_pair_kernel<T, lcm<T>>, {t});
  add(r, "trunc_divide", integer_pair_kernel<T, truncated_quotient<T>>, {t});
  add(r, "copysign", integer_pair_kernel<T, copied_sign<T>>, {t});
}

}  // namespace

void register_special_cpu(Registry& r) {
  add_complex_too(r, "acosh",
                  complex_too_kernel<kAcosh, [](Complex x, P) { return std::acosh(x); }>);
  add_complex_too(r, "asinh",
                  complex_too_kernel<kAsinh, [](Complex x, P) { return std::asinh(x); }>);
  add_complex_too(r, "atanh",
                  complex_too_kernel<kAtanh, [](Complex x, P) { return std::atanh(x); }>);
  add_real(r, "digamma", gamma_kernel<kDigamma, [](double x, P) { return math::digamma(x); }>);
  add_real(r, "lgamma", gamma_kernel<kLogGamma, [](double x, P) { return math::log_gamma(x); }>);
  add_real(r, "gammaln", gamma_kernel<kLogGamma, [](double x, P) { return math::log_gamma(x); }>);
  add_real(r, "polygamma",
           gamma_kernel<kPolygamma, [](double x, P p) { return math::polygamma(p.i, x); }>);
  add_real(r, "erfinv", real_kernel<kErfinv, [](double x, P) { return math::erf_inverse(x); }>);
  add_real(r, "i0", real_kernel<kI0, [](double x, P) { return math::bessel_i(0, x); }>);
  add_real(r, "i0e", real_kernel<kI0e, [](double x, P) { return math::bessel_ie(0, x); }>);
  add_real(r, "i1", real_kernel<kI1, [](double x, P) { return math::bessel_i(1, x); }>);
  add_real(r, "i1e", real_kernel<kI1e, [](double x, P) { return math::bessel_ie(1, x); }>);
  add_float(r, "copysign", tabled_pair_kernel<kCopysign>);
  add_float(r, "gammaincc", pair_kernel<[](double a, double x) { return checked_gamma_q(a, x); }>);
  add_float(r, "trunc_divide", tabled_pair_kernel<kTruncDivide>);
  add_float(r, "gcd", pair_kernel<[](double x, double y) { return real_gcd(x, y); }>);
  add_float(r, "lcm", pair_kernel<[](double x, double y) { return real_lcm(x, y); }>);
  add(r, "nextafter", tabled_pair_kernel<kNextafter>, {DType::kFloat32, DType::kFloat64});
  add_integer<uint8_t>(r);
  add_integer<int8_t>(r);
  add_integer<int16_t>(r);
  add_integer<int32_t>(r);
  add_integer<int64_t>(r);
}

}  // namespace paddle::cpu

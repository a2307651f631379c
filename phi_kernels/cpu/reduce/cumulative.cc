// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scans along one axis: running sums, products and log-sum-exps, and the recurrence s_j = b_j + a_j
// s_(j-1). 16-bit floats run in float, float32 in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrain = 65536;

template <typename T>
using Running = typename SumTypes<T>::Wide;

// A running total and one more element; integers wrap.
template <bool kProduct, typename R>
R joined(R total, R v) {
  if constexpr (std::is_integral_v<R>) {
    using U = std::make_unsigned_t<R>;
    return static_cast<R>(kProduct ? U(total) * U(v) : U(total) + U(v));
  } else {
    return kProduct ? total * v : total + v;
  }
}

// Calls scan(first element, distance, count) for every line along `axis`.
template <typename Scan>
void for_lines(const TensorImpl& x, int64_t axis, bool flat, Scan scan) {
  if (x.numel == 0) return;
  int64_t n = x.numel, inner = 1;
  if (!flat && !x.shape.empty()) {
    const auto rank = static_cast<int64_t>(x.shape.size());
    const auto a = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    n = x.shape[a].value();
    for (size_t d = a + 1; d < x.shape.size(); ++d) inner *= x.shape[d].value();
  }
  parallel_for(0, x.numel / n, std::max<int64_t>(1, kGrain / n), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) scan(i / inner * n * inner + i % inner, inner, n);
  });
}

constexpr int64_t kColumns = 64;  // lines side by side that are scanned together

// The same for the lines of an axis that is not the last one, kColumns at a time: scan(first
// element of the first line, distance within a line, elements of a line, lines).
template <typename Scan>
void for_columns(const TensorImpl& x, int64_t axis, Scan scan) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  const auto a = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const int64_t n = x.shape[a].value();
  int64_t inner = 1;
  for (size_t d = a + 1; d < x.shape.size(); ++d) inner *= x.shape[d].value();
  const int64_t blocks = (inner + kColumns - 1) / kColumns, outer = x.numel / n / inner;
  parallel_for(0, outer * blocks, std::max<int64_t>(1, kGrain / (n * std::min(inner, kColumns))),
               [&](int64_t b, int64_t e) {
                 for (int64_t i = b; i < e; ++i) {
                   const int64_t column = i % blocks * kColumns;
                   scan(i / blocks * n * inner + column, inner, n,
                        std::min(kColumns, inner - column));
                 }
               });
}

bool is_last(const TensorImpl& x, int64_t axis) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  return rank == 0 || axis == -1 || axis == rank - 1;
}

template <typename T, bool kProduct>
void run_columns(KernelContext& k, int64_t axis, bool exclusive, bool reverse) {
  using R = Running<T>;
  using Out = std::conditional_t<std::is_same_v<T, bool>, int64_t, T>;
  for_columns(k.in(0), axis, [&](int64_t first, int64_t step, int64_t n, int64_t width) {
    if (reverse) first += (n - 1) * step, step = -step;
    const T* x = k.in_data<T>(0) + first;
    Out* out = k.out_data<Out>(0) + first;
    R total[kColumns];
    std::fill(total, total + kColumns, R(kProduct ? 1 : 0));
    for (int64_t i = 0; i < n; ++i, x += step, out += step) {
      for (int64_t j = 0; j < width; ++j) {
        const R next = joined<kProduct>(total[j], R(x[j]));
        out[j] = static_cast<Out>(exclusive ? total[j] : next);
        total[j] = next;
      }
    }
  });
}

// `kLines` lines of n elements, one behind the other: each step waits for the one before it, but
// not for those of other lines.
template <typename T, bool kProduct, int kLines, typename Out>
void run_beside(const T* x, Out* out, int64_t n, bool reverse) {
  using R = Running<T>;
  R total[kLines];
  std::fill(total, total + kLines, R(kProduct ? 1 : 0));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = reverse ? n - 1 - i : i;
    for (int l = 0; l < kLines; ++l) {
      total[l] = joined<kProduct>(total[l], R(x[l * n + at]));
      out[l * n + at] = static_cast<Out>(total[l]);
    }
  }
}

template <typename T, bool kProduct, typename Out>
void run_last_axis(const T* x, Out* out, int64_t lines, int64_t n, bool reverse) {
  constexpr int kTogether = 4;
  parallel_for(0, lines, std::max<int64_t>(1, kGrain / n), [&](int64_t b, int64_t e) {
    for (; b + kTogether <= e; b += kTogether) {
      run_beside<T, kProduct, kTogether>(x + b * n, out + b * n, n, reverse);
    }
    for (; b < e; ++b) run_beside<T, kProduct, 1>(x + b * n, out + b * n, n, reverse);
  });
}

template <typename T, bool kProduct>
void run(KernelContext& k, int64_t axis, bool flat, bool exclusive, bool reverse) {
  using R = Running<T>;
  using Out = std::conditional_t<std::is_same_v<T, bool>, int64_t, T>;
  if (k.in(0).numel && !flat && !is_last(k.in(0), axis)) {
    return run_columns<T, kProduct>(k, axis, exclusive, reverse);
  }
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                (std::is_same_v<T, int64_t> && !kProduct)) {
    if (const TensorImpl& x = k.in(0); !exclusive && !flat && x.numel && !x.shape.empty()) {
      const int64_t n = x.shape.back().value();
      return run_last_axis<T, kProduct>(k.in_data<T>(0), k.out_data<Out>(0), x.numel / n, n,
                                        reverse);
    }
  }
  for_lines(k.in(0), axis, flat, [&](int64_t first, int64_t step, int64_t n) {
    if (reverse) first += (n - 1) * step, step = -step;
    const T* x = k.in_data<T>(0) + first;
    Out* out = k.out_data<Out>(0) + first;
    R total = R(kProduct ? 1 : 0);
    for (int64_t i = 0; i < n; ++i) {
      if (exclusive) out[i * step] = static_cast<Out>(total);
      total = joined<kProduct>(total, R(x[i * step]));
      if (!exclusive) out[i * step] = static_cast<Out>(total);
    }
  });
}

template <typename T>
void cumsum_kernel(KernelContext& k) {
  run<T, false>(k, k.scalar(1).to_int(), k.b(2), k.b(3), k.b(4));
}
template <typename T>
void cumprod_kernel(KernelContext& k) {
  run<T, true>(k, k.i(1), false, k.b(2), k.b(3));
}

template <typename T>
void linear_scan_kernel(KernelContext& k) {
  using R = Running<T>;
  const bool reverse = k.b(3);
  for_lines(k.in(0), k.i(2), false, [&](int64_t first, int64_t step, int64_t n) {
    if (reverse) first += (n - 1) * step, step = -step;
    const T *a = k.in_data<T>(0) + first, *b = k.in_data<T>(1) + first;
    T* out = k.out_data<T>(0) + first;
    R s = R(0);
    for (int64_t i = 0; i < n; ++i) {
      s = R(b[i * step]) + R(a[i * step]) * s;
      out[i * step] = static_cast<T>(s);
    }
  });
}

// Around the running maximum, so that nothing overflows.
template <typename T>
void logcumsumexp_kernel(KernelContext& k) {
  const bool exclusive = k.b(3);
  for_lines(k.in(0), k.i(1), k.b(2), [&](int64_t first, int64_t step, int64_t n) {
    if (k.b(4)) first += (n - 1) * step, step = -step;
    const T* x = k.in_data<T>(0) + first;
    T* out = k.out_data<T>(0) + first;
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    const auto value = [&] { return total > 0 || total != total ? top + std::log(total) : top; };
    for (int64_t i = 0; i < n; ++i) {
      if (exclusive) out[i * step] = static_cast<T>(value());
      const auto v = static_cast<double>(x[i * step]);
      if (v > top) {
        total = total * std::exp(top - v) + 1;
        top = v;
      } else if (v != v || std::isfinite(v)) {
        total += std::exp(v - top);
      }
      if (!exclusive) out[i * step] = static_cast<T>(value());
    }
  });
}

template <typename T>
void register_type(Registry& r) {
  const DType t = DTypeOf<T>::value;
  r.kernel("cumsum", DeviceKind::kCpu, {t}, cumsum_kernel<T>);
  r.kernel("cumprod", DeviceKind::kCpu, {t}, cumprod_kernel<T>);
  if constexpr (!std::is_integral_v<T>)
    r.kernel("linear_scan", DeviceKind::kCpu, {t}, linear_scan_kernel<T>);
  if constexpr (!std::is_integral_v<T> && !requires(T v) { v.imag(); })
    r.kernel("logcumsumexp", DeviceKind::kCpu, {t}, logcumsumexp_kernel<T>);
}

}  // namespace

void register_cumulative_cpu(Registry& r) {
  register_type<bool>(r);
  register_type<uint8_t>(r);
  register_type<int8_t>(r);
  register_type<int16_t>(r);
  register_type<int32_t>(r);
  register_type<int64_t>(r);
  register_type<float>(r);
  register_type<double>(r);
  register_type<std::complex<float>>(r);
  register_type<std::complex<double>>(r);
  const auto add = [&](const char* op, KernelFn fn) {
    r.kernel(op, DeviceKind::kCpu, {DType::kFloat16, DType::kBFloat16}, fn);
  };
  add("cumsum", in_float32<cumsum_kernel<float>>);
  add("cumprod", in_float32<cumprod_kernel<float>>);
  add("linear_scan", in_float32<linear_scan_kernel<float>>);
  add("logcumsumexp", in_float32<logcumsumexp_kernel<float>>);
}

}  // namespace paddle::cpu

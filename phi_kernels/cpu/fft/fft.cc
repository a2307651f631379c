// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms on our threads: a batch is cut along its largest dimension; without one, each
// axis is transformed with the lines of another shared out. The parts go to fft_lines.h.
#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/fft/fft_lines.h"

namespace paddle::cpu {
namespace {

using Sizes = FftSizes;
using Steps = FftSteps;

constexpr int64_t kParallelElements = 16384;

Sizes extents_of(const TensorImpl& t) {
  Sizes out;
  for (const Dim d : t.shape) out.push_back(static_cast<size_t>(d.value()));
  return out;
}
Steps steps_of(const TensorImpl& t) {
  Steps out;
  for (const int64_t s : t.strides) out.push_back(s * static_cast<int64_t>(size_of(t.dtype)));
  return out;
}
Sizes axes_of(const KernelContext& c) {
  const auto rank = static_cast<int64_t>(c.in(0).shape.size());
  Sizes out;
  for (const Dim d : c.ints(1)) out.push_back(size_t(d.value() < 0 ? d.value() + rank : d.value()));
  return out;
}

// The factor that `normalization` puts on a transform of n elements.
double factor_of(std::string_view normalization, bool forward, double n) {
  if (normalization == "ortho") return 1 / std::sqrt(n);
  return (normalization == "forward") == forward ? 1 / n : 1;
}

double count_of(const Sizes& shape, const Sizes& axes) {
  double n = 1;
  for (const size_t a : axes) n *= static_cast<double>(shape[a]);
  return n;
}

// The largest dimension that is not among `axes`; the rank when there is none.
size_t batch_dimension(const Sizes& shape, const Sizes& axes) {
  size_t best = shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
    if (best == shape.size() || shape[d] > shape[best]) best = d;
  }
  return best;
}

// run(shape, byte offset along in, byte offset along out) over parts of the array that share no
// line along `axes`.
template <typename Run>
void over_parts(const Sizes& shape, const Steps& in, const Steps& out, const Sizes& axes, Run run) {
  const size_t cut = batch_dimension(shape, axes);
  int64_t numel = 1;
  for (const size_t n : shape) numel *= static_cast<int64_t>(n);
  if (cut == shape.size() || numel < kParallelElements) return run(shape, 0, 0);
  const auto extent = static_cast<int64_t>(shape[cut]);
  // Lines are transformed several at a time: parts hold at least 16 of them.
  const int64_t others = std::max<int64_t>(
      1, static_cast<int64_t>(double(numel) / double(extent) / count_of(shape, axes)));
  const int64_t grain =
      std::max<int64_t>({1, kParallelElements * extent / numel, (16 + others - 1) / others});
  parallel_for(0, extent, std::min(grain, std::max<int64_t>(1, extent / num_threads())),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; i += grain) {
                   Sizes part = shape;
                   part[cut] = static_cast<size_t>(std::min(grain, end - i));
                   run(part, i * in[cut], i * out[cut]);
                 }
               });
}

template <typename V>
V* shifted(V* p, int64_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<V>, const char, char>;
  return reinterpret_cast<V*>(reinterpret_cast<Byte*>(p) + bytes);
}

// All axes at once where a batch occupies the threads, else one after the other.
bool one_by_one(const Sizes& shape, const Sizes& axes) {
  const size_t cut = batch_dimension(shape, axes);
  return axes.size() > 1 &&
         (cut == shape.size() || shape[cut] < static_cast<size_t>(num_threads()));
}

template <typename R>
void c2c(const Sizes& shape, Steps in, const Steps& out, const Sizes& axes, bool forward,
         const std::complex<R>* x, std::complex<R>* y, double factor) {
  const auto pass = [&](const Sizes& some, R scale) {
    over_parts(shape, in, out, some, [&](const Sizes& part, int64_t from, int64_t to) {
      transform_columns(shape, part, in, out, some, forward, shifted(x, from), shifted(y, to),
                        scale);
    });
  };
  if (!one_by_one(shape, axes)) return pass(axes, static_cast<R>(factor));
  for (size_t i = 0; i < axes.size(); ++i) {
    pass({axes[i]}, i == 0 ? static_cast<R>(factor) : R(1));
    x = y;
    in = out;
  }
}

template <typename C>
void c2c_kernel(KernelContext& k) {
  using R = typename C::value_type;
  const Sizes shape = extents_of(k.in(0)), axes = axes_of(k);
  if (k.in(0).numel == 0) return;
  c2c<R>(shape, steps_of(k.in(0)), steps_of(k.out(0)), axes, k.b(3), k.in_data<C>(0),
         k.out_data<C>(0), factor_of(k.text(2), k.b(3), count_of(shape, axes)));
}

// Completes the transform of real numbers in rows of n: `half` holds its first n / 2 + 1 columns,
// the others are conjugates of them, at the opposite place along the other axes.
template <typename C>
void complete_rows(const C* half, const Sizes& shape, const Sizes& axes, C* out) {
  const auto n = static_cast<int64_t>(shape.back()), kept = n / 2 + 1;
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) rows *= static_cast<int64_t>(shape[d]);
  const auto opposite = [&](int64_t row) {
    int64_t at = 0, step = 1;
    for (size_t d = shape.size() - 1; d-- > 0;) {
      const auto extent = static_cast<int64_t>(shape[d]);
      const int64_t i = row % extent;
      const bool turned = std::find(axes.begin(), axes.end(), d) != axes.end();
      at += (turned ? (extent - i) % extent : i) * step;
      step *= extent;
      row /= extent;
    }
    return at;
  };
  parallel_for(0, rows, std::max<int64_t>(1, kParallelElements / n), [&](int64_t b, int64_t e) {
    for (int64_t row = b; row < e; ++row) {
      std::copy(half + row * kept, half + (row + 1) * kept, out + row * n);
      const C* from = half + opposite(row) * kept;
      for (int64_t j = kept; j < n; ++j) out[row * n + j] = std::conj(from[n - j]);
    }
  });
}

template <typename C>
void r2c(const Sizes& shape, const Steps& in, const Sizes& half_shape, const Steps& out,
         const Sizes& axes, bool forward, const typename C::value_type* x, C* y, double factor) {
  using R = typename C::value_type;
  const Sizes last{axes.back()}, rest(axes.begin(), axes.end() - 1);
  const bool split = one_by_one(shape, axes);
  over_parts(shape, in, out, split ? last : axes, [&](const Sizes& part, int64_t from, int64_t to) {
    transform_columns(shape, part, in, out, split ? last : axes, forward, shifted(x, from),
                      shifted(y, to), static_cast<R>(factor));
  });
  if (split) c2c<R>(half_shape, out, out, rest, forward, y, y, 1);
}

// arguments: x, axes, normalization, forward, onesided
template <typename C>
void r2c_kernel(KernelContext& k) {
  using R = typename C::value_type;
  if (k.in(0).numel == 0) return;
  const Sizes shape = extents_of(k.in(0)), axes = axes_of(k);
  const bool forward = k.b(3);
  const double factor = factor_of(k.text(2), forward, count_of(shape, axes));
  const Steps in = steps_of(k.in(0)), out = steps_of(k.out(0));
  const R* x = k.in_data<R>(0);
  C* y = k.out_data<C>(0);
  if (k.b(4)) return r2c(shape, in, extents_of(k.out(0)), out, axes, forward, x, y, factor);
  const bool once = std::set<size_t>(axes.begin(), axes.end()).size() == axes.size();
  if (once && axes.back() + 1 == shape.size()) {
    Shape kept = k.in(0).shape;
    kept.back() = static_cast<int64_t>(shape.back() / 2 + 1);
    const Tensor half = Tensor::empty(kept, k.out(0).dtype, k.out(0).place);
    r2c(shape, in, extents_of(*half.impl()), steps_of(*half.impl()), axes, forward, x,
        half.data<C>(), factor);
    return complete_rows(half.data<C>(), shape, axes, y);
  }
  const Tensor wide = Tensor::empty(k.in(0).shape, k.out(0).dtype, k.out(0).place);
  wide.copy_data_from(k.in_tensor(0));
  c2c<R>(shape, steps_of(*wide.impl()), out, axes, forward, wide.data<C>(), y, factor);
}

// arguments: x, axes, normalization, forward, last_dim_size
template <typename R>
void c2r_kernel(KernelContext& k) {
  using C = std::complex<R>;
  if (k.out(0).numel == 0) return;
  const Sizes shape = extents_of(k.out(0)), axes = axes_of(k);
  const bool forward = k.b(3);
  const R factor = static_cast<R>(factor_of(k.text(2), forward, count_of(shape, axes)));
  Steps in = steps_of(k.in(0));
  const Steps out = steps_of(k.out(0));
  const C* x = k.in_data<C>(0);
  R* y = k.out_data<R>(0);
  const Sizes last{axes.back()}, rest(axes.begin(), axes.end() - 1);
  Tensor between;
  const bool split = one_by_one(shape, axes);
  if (split) {
    Shape half = k.in(0).shape;
    half[axes.back()] = static_cast<int64_t>(shape[axes.back()] / 2 + 1);
    between = Tensor::empty(half, k.in(0).dtype, k.in(0).place);
    const Steps steps = steps_of(*between.impl());
    c2c<R>(extents_of(*between.impl()), in, steps, rest, forward, x, between.data<C>(), 1);
    x = between.data<C>();
    in = steps;
  }
  over_parts(shape, in, out, split ? last : axes, [&](const Sizes& part, int64_t from, int64_t to) {
    transform_columns(shape, part, in, out, split ? last : axes, forward, shifted(x, from),
                      shifted(y, to), factor);
  });
}

}  // namespace

void register_fft_cpu(Registry& r) {
  const auto add = [&](const char* op, DType t, KernelFn fn) {
    r.kernel(op, DeviceKind::kCpu, {t}, fn, /*strided=*/true);
  };
  add("fft_c2c", DType::kComplex64, c2c_kernel<std::complex<float>>);
  add("fft_c2c", DType::kComplex128, c2c_kernel<std::complex<double>>);
  add("fft_r2c", DType::kComplex64, r2c_kernel<std::complex<float>>);
  add("fft_r2c", DType::kComplex128, r2c_kernel<std::complex<double>>);
  add("fft_c2r", DType::kFloat32, c2r_kernel<float>);
  add("fft_c2r", DType::kFloat64, c2r_kernel<double>);
}

}  // namespace paddle::cpu

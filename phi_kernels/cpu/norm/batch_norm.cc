// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of batch_norm_ and its gradient on the CPU. Channel-first data are taken channel by
// channel, channel-last data (and [N, C]) in strips of channels; statistics in two passes.
#include <algorithm>
#include <cmath>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

// Element (n, c, s) stands at n * batch_stride + c * channel_stride + s * space_stride.
struct Layout {
  int64_t batch = 1, channels = 1, space = 1;
  bool channel_last = false;
};

Layout layout_of(const Shape& shape, std::string_view format) {
  Layout l;
  const size_t rank = shape.size();
  l.channel_last = rank == 2 || format.back() == 'C';
  const size_t channel = l.channel_last ? rank - 1 : 1;
  l.batch = shape[0].value();
  l.channels = shape[channel].value();
  for (size_t i = 1; i < rank; ++i) {
    if (i != channel) l.space *= shape[i].value();
  }
  if (l.channel_last) {
    l.batch *= l.space;
    l.space = 1;
  }
  return l;
}

// body(row index in [0, batch), first channel, pointer offset, count): for channel-first data one
// channel's row of `space`, for channel-last data a strip of channels.
constexpr int64_t kStrip = 64;

template <typename Body>
void parallel_channels(const Layout& l, Body&& body) {
  const int64_t units = l.channel_last ? (l.channels + kStrip - 1) / kStrip : l.channels;
  const int64_t work = l.batch * (l.channel_last ? kStrip : l.space);
  parallel_for(0, units, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t u = begin; u < end; ++u) {
                   if (l.channel_last) {
                     body(u * kStrip, std::min(kStrip, l.channels - u * kStrip));
                   } else {
                     body(u, int64_t{1});
                   }
                 }
               });
}

template <typename A>
struct Strip {
  A a[kStrip] = {}, b[kStrip] = {};
};

// Sums f(row pointer offset) of `count` channels starting at `first`.
template <typename T>
void moments(const Layout& l, const T* x, int64_t first, int64_t count, RowType<T>* mean,
             RowType<T>* variance) {
  using A = RowType<T>;
  const RowKernels<A>& k = rows<A>();
  std::vector<A> buffer;
  const A total = static_cast<A>(l.batch * l.space);
  Strip<A> sums;
  for (int64_t n = 0; n < l.batch; ++n) {
    if (l.channel_last) {
      k.axpy(1, load_row(x + n * l.channels + first, count, buffer), sums.a, count);
    } else {
      sums.a[0] +=
          k.sum(load_row(x + (n * l.channels + first) * l.space, l.space, buffer), l.space);
    }
  }
  for (int64_t j = 0; j < count; ++j) mean[j] = sums.a[j] / total;
  for (int64_t n = 0; n < l.batch; ++n) {
    if (l.channel_last) {
      const A* row = load_row(x + n * l.channels + first, count, buffer);
      for (int64_t j = 0; j < count; ++j) sums.b[j] += (row[j] - mean[j]) * (row[j] - mean[j]);
    } else {
      const T* from = x + (n * l.channels + first) * l.space;
      sums.b[0] += k.square_sum(load_row(from, l.space, buffer), mean[0], l.space);
    }
  }
  for (int64_t j = 0; j < count; ++j) variance[j] = sums.b[j] / total;
}

template <typename A>
__attribute__((target("avx2"))) void scale_and_shift(const A* x, A factor, A offset, A* out,
                                                     int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * factor + offset;
}

// out = beta * x + gamma for the rows of channel-first data in the order of memory: short rows, or
// such as nothing has read before, are not visited channel by channel.
template <typename T>
void combine_in_order(const Layout& l, const T* x, const RowType<T>* beta, const RowType<T>* gamma,
                      T* out) {
  using A = RowType<T>;
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, l.space));
  parallel_for(0, l.batch * l.channels, grain, [&](int64_t begin, int64_t end) {
    std::vector<A> x_buffer, out_buffer;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t at = row * l.space, channel = row % l.channels;
      const A* xr = load_row(x + at, l.space, x_buffer);
      A* to = begin_row(out + at, l.space, out_buffer);
      scale_and_shift(xr, beta[channel], gamma[channel], to, l.space);
      store_row(to, out + at, l.space);
    }
  });
}

// out = alpha * g + beta * x + gamma for one channel of channel-first data; g may be null.
template <typename T>
void combine(const Layout& l, const T* x, const T* g, int64_t channel, RowType<T> alpha,
             RowType<T> beta, RowType<T> gamma, T* out) {
  using A = RowType<T>;
  const RowKernels<A>& k = rows<A>();
  std::vector<A> x_buffer, g_buffer, out_buffer;
  for (int64_t n = 0; n < l.batch; ++n) {
    const int64_t at = (n * l.channels + channel) * l.space;
    const A* xr = load_row(x + at, l.space, x_buffer);
    const A* gr = g ? load_row(g + at, l.space, g_buffer) : nullptr;
    A* to = begin_row(out + at, l.space, out_buffer);
    if (gr) {
      k.norm_grad(xr, gr, nullptr, alpha, beta, gamma, to, l.space);
    } else {
      scale_and_shift(xr, beta, gamma, to, l.space);
    }
    store_row(to, out + at, l.space);
  }
}

// The same for channel-last data over all channels: rows are contiguous and shared out evenly.
template <typename T>
void combine_rows(const Layout& l, const T* x, const T* g, const RowType<T>* alpha,
                  const RowType<T>* beta, const RowType<T>* gamma, T* out) {
  using A = RowType<T>;
  const int64_t count = l.channels;
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, count));
  parallel_for(0, l.batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const T* __restrict xr = x + n * count;
      T* __restrict to = out + n * count;
      if (!g) {
        for (int64_t j = 0; j < count; ++j) {
          to[j] = T(beta[j] * static_cast<A>(xr[j]) + gamma[j]);
        }
        continue;
      }
      const T* __restrict gr = g + n * count;
      for (int64_t j = 0; j < count; ++j) {
        to[j] = T(alpha[j] * static_cast<A>(gr[j]) + beta[j] * static_cast<A>(xr[j]) + gamma[j]);
      }
    }
  });
}

// arguments: x, mean, variance, scale, bias, is_test, momentum, epsilon, data_format,
// use_global_stats, trainable_statistics; results: out, mean_out, variance_out, saved_mean,
// saved_variance (the inverse standard deviation)
template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Layout l = layout_of(c.in(0).shape, c.text(8));
  const bool fixed = (c.b(5) && !c.b(10)) || c.b(9);
  const A momentum = static_cast<A>(c.f(6)), epsilon = static_cast<A>(c.f(7));
  const T* x = c.in_data<T>(0);
  const A *scale = c.has(3) ? c.in_data<A>(3) : nullptr,
          *bias = c.has(4) ? c.in_data<A>(4) : nullptr;
  T* out = c.out_data<T>(0);
  const A *old_mean = c.in_data<A>(1), *old_variance = c.in_data<A>(2);
  A *mean_out = c.out_data<A>(1), *variance_out = c.out_data<A>(2);
  A *saved_mean = c.out_data<A>(3), *saved_factor = c.out_data<A>(4);
  if (!fixed && l.batch * l.space == 1) {  // a variance of one value says nothing: out is x
    std::copy_n(x, l.channels, out);
    std::copy_n(old_mean, l.channels, mean_out);
    std::copy_n(old_variance, l.channels, variance_out);
    std::fill_n(saved_mean, l.channels, A(0));
    std::fill_n(saved_factor, l.channels, A(0));
    return;
  }
  const bool empty = l.batch * l.space == 0;
  const bool in_order = !l.channel_last && (fixed || l.space <= 256);
  std::vector<A> betas(static_cast<size_t>(l.channels)), gammas(betas);
  parallel_channels(l, [&](int64_t first, int64_t count) {
    A mean[kStrip], variance[kStrip];
    A *beta = betas.data() + first, *gamma = gammas.data() + first;
    if (!fixed && !empty) moments(l, x, first, count, mean, variance);
    for (int64_t j = 0; j < count; ++j) {
      const int64_t ch = first + j;
      A next_mean = old_mean[ch], next_variance = old_variance[ch];
      if (fixed || empty) {
        mean[j] = next_mean;
        variance[j] = next_variance;
      } else {
        next_mean = momentum * next_mean + (1 - momentum) * mean[j];
        next_variance = momentum * next_variance + (1 - momentum) * variance[j];
      }
      mean_out[ch] = next_mean;
      variance_out[ch] = next_variance;
      saved_mean[ch] = mean[j];
      saved_factor[ch] = 1 / std::sqrt(variance[j] + epsilon);
      beta[j] = saved_factor[ch] * (scale ? scale[ch] : A(1));
      gamma[j] = (bias ? bias[ch] : A(0)) - mean[j] * beta[j];
    }
    if (!l.channel_last && !in_order) {
      combine<T>(l, x, nullptr, first, A(0), beta[0], gamma[0], out);
    }
  });
  if (in_order) combine_in_order<T>(l, x, betas.data(), gammas.data(), out);
  if (l.channel_last) combine_rows<T>(l, x, nullptr, nullptr, betas.data(), gammas.data(), out);
}

// arguments: x, scale, bias, mean_out, variance_out, saved_mean, saved_variance, reserve_space,
// out_grad, momentum, epsilon, data_format, is_test, use_global_stats, trainable_statistics
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Layout l = layout_of(c.in(0).shape, c.text(11));
  const bool fixed = (c.b(12) && !c.b(14)) || c.b(13);
  const T *x = c.in_data<T>(0), *g = c.in_data<T>(8);
  const A* scale = c.has(1) ? c.in_data<A>(1) : nullptr;
  const A *means = c.in_data<A>(5), *factors = c.in_data<A>(6);
  T* dx = c.out_data<T>(0);
  A* dw = c.has(1) && c.wants(1) ? c.out_data<A>(1) : nullptr;
  A* db = c.has(2) && c.wants(2) ? c.out_data<A>(2) : nullptr;
  if (!fixed && l.batch * l.space == 1) {
    std::copy_n(g, l.channels, dx);
    if (dw) std::fill_n(dw, l.channels, A(0));
    if (db) std::fill_n(db, l.channels, A(0));
    return;
  }
  const RowKernels<A>& k = rows<A>();
  const A total = static_cast<A>(l.batch * l.space);
  std::vector<A> alphas(static_cast<size_t>(l.channels)), betas(alphas), gammas(alphas);
  parallel_channels(l, [&](int64_t first, int64_t count) {
    std::vector<A> x_buffer, g_buffer;
    Strip<A> sums;  // a: sum g, b: sum g * (x - mean)
    for (int64_t n = 0; n < l.batch; ++n) {
      const int64_t length = l.channel_last ? count : l.space;
      const int64_t at =
          l.channel_last ? n * l.channels + first : (n * l.channels + first) * l.space;
      const A* xr = load_row(x + at, length, x_buffer);
      const A* gr = load_row(g + at, length, g_buffer);
      if (l.channel_last) {
        for (int64_t j = 0; j < length; ++j) {
          sums.a[j] += gr[j];
          sums.b[j] += gr[j] * (xr[j] - means[first + j]);
        }
      } else {
        const A part = k.sum(gr, length);
        sums.a[0] += part;
        sums.b[0] += k.dot(gr, xr, length) - means[first] * part;
      }
    }
    A *alpha = alphas.data() + first, *beta = betas.data() + first, *gamma = gammas.data() + first;
    for (int64_t j = 0; j < count; ++j) {
      const int64_t ch = first + j;
      const A r = factors[ch], w = scale ? scale[ch] : A(1);
      if (dw) dw[ch] = sums.b[j] * r;
      if (db) db[ch] = sums.a[j];
      alpha[j] = w * r;
      beta[j] = fixed ? A(0) : -w * r * r * r * sums.b[j] / total;
      gamma[j] = fixed ? A(0) : -alpha[j] * sums.a[j] / total - beta[j] * means[ch];
    }
    if (!l.channel_last) combine<T>(l, x, g, first, alpha[0], beta[0], gamma[0], dx);
  });
  if (l.channel_last) {
    combine_rows<T>(l, x, g, alphas.data(), betas.data(), gammas.data(), dx);
  }
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("batch_norm_", DeviceKind::kCpu, {DTypeOf<T>::value}, forward_kernel<T>);
  r.kernel("batch_norm_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, backward_kernel<T>);
}

}  // namespace

void register_batch_norm_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of group_norm and its gradient on the CPU. With channels first the elements of a group
// are one row; with channels last they are gathered into one.
#include <cmath>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

struct Layout {
  int64_t batch, channels, rest, groups, each;  // each: channels of a group
  bool last;

  int64_t length() const { return each * rest; }
  // First element of a group in memory.
  int64_t base(int64_t n, int64_t g) const {
    return last ? n * rest * channels + g * each : (n * channels + g * each) * rest;
  }
};

Layout layout_of(const Shape& shape, int64_t groups, std::string_view format) {
  Layout l;
  l.last = format.size() > 2 && format.back() == 'C';
  const size_t channel = l.last ? shape.size() - 1 : 1;
  l.batch = shape[0].value();
  l.channels = shape[channel].value();
  l.rest = 1;
  for (size_t i = 1; i < shape.size(); ++i) {
    if (i != channel) l.rest *= shape[i].value();
  }
  l.groups = groups;
  l.each = l.channels / groups;
  return l;
}

// The elements of a group as [channels of the group, rest] in the computing type.
template <typename T>
const RowType<T>* load_group(const T* x, const Layout& l, std::vector<RowType<T>>& buffer) {
  if (!l.last) return load_row(x, l.length(), buffer);
  buffer.resize(static_cast<size_t>(l.length()));
  for (int64_t i = 0; i < l.rest; ++i) {
    for (int64_t c = 0; c < l.each; ++c) {
      buffer[static_cast<size_t>(c * l.rest + i)] = static_cast<RowType<T>>(x[i * l.channels + c]);
    }
  }
  return buffer.data();
}
template <typename T>
RowType<T>* begin_group(T* out, const Layout& l, std::vector<RowType<T>>& buffer) {
  if (!l.last) return begin_row(out, l.length(), buffer);
  buffer.resize(static_cast<size_t>(l.length()));
  return buffer.data();
}
template <typename T>
void store_group(const RowType<T>* from, T* out, const Layout& l) {
  if (!l.last) return store_row(from, out, l.length());
  for (int64_t i = 0; i < l.rest; ++i) {
    for (int64_t c = 0; c < l.each; ++c) out[i * l.channels + c] = T(from[c * l.rest + i]);
  }
}

int64_t grain_of(const Layout& l) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, l.length()));
}

// arguments: x, scale, bias, epsilon, groups, data_format
template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Layout l = layout_of(c.in(0).shape, c.i(4), c.text(5));
  const RowKernels<A>& k = rows<A>();
  const T *x = c.in_data<T>(0), *scale = c.has(1) ? c.in_data<T>(1) : nullptr;
  const T* bias = c.has(2) ? c.in_data<T>(2) : nullptr;
  T* out = c.out_data<T>(0);
  A *means = c.out_data<A>(1), *variances = c.out_data<A>(2);
  const A epsilon = static_cast<A>(c.f(3)), count = static_cast<A>(l.length());
  parallel_for(0, l.batch * l.groups, grain_of(l), [&](int64_t begin, int64_t end) {
    std::vector<A> in_buffer, out_buffer;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t g = i % l.groups, base = l.base(i / l.groups, g);
      const A* row = load_group(x + base, l, in_buffer);
      A* to = begin_group(out + base, l, out_buffer);
      means[i] = k.sum(row, l.length()) / count;
      variances[i] = k.square_sum(row, means[i], l.length()) / count;
      const A r = 1 / std::sqrt(variances[i] + epsilon);
      for (int64_t ch = 0; ch < l.each; ++ch) {
        const int64_t at = g * l.each + ch;
        const A factor = scale ? r * static_cast<A>(scale[at]) : r;
        A* part = to + ch * l.rest;
        k.affine(row + ch * l.rest, means[i], factor, nullptr, nullptr, part, l.rest);
        if (bias) k.shift(part, static_cast<A>(bias[at]), part, l.rest);
      }
      store_group(to, out + base, l);
    }
  });
}

// With n = (x - mean) r and h = g scale: dx = r (h - mean(h) - n mean(h n)).
// arguments: x, scale, bias, mean, variance, y_grad, epsilon, groups, data_format
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Layout l = layout_of(c.in(0).shape, c.i(7), c.text(8));
  const RowKernels<A>& k = rows<A>();
  const T *x = c.in_data<T>(0), *scale = c.has(1) ? c.in_data<T>(1) : nullptr;
  const T* gradient = c.in_data<T>(5);
  const A *means = c.in_data<A>(3), *variances = c.in_data<A>(4);
  T* dx = c.out_data<T>(0);
  const A epsilon = static_cast<A>(c.f(6)), count = static_cast<A>(l.length());
  // Per sample and channel, added up in the order of the samples afterwards.
  std::vector<A> sums(static_cast<size_t>(l.batch * l.channels)), dots(sums);
  const int64_t filled = l.length() ? l.batch * l.groups : 0;  // a group of nothing adds nothing
  parallel_for(0, filled, grain_of(l), [&](int64_t begin, int64_t end) {
    std::vector<A> x_buffer, g_buffer, out_buffer;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / l.groups, g = i % l.groups, base = l.base(n, g);
      const A* xr = load_group(x + base, l, x_buffer);
      const A* gr = load_group(gradient + base, l, g_buffer);
      A* to = begin_group(dx + base, l, out_buffer);
      const A mean = means[i], r = 1 / std::sqrt(variances[i] + epsilon);
      A *sum = sums.data() + n * l.channels + g * l.each,
        *dot = dots.data() + n * l.channels + g * l.each;
      A h = 0, hn = 0;
      for (int64_t ch = 0; ch < l.each; ++ch) {
        const A w = scale ? static_cast<A>(scale[g * l.each + ch]) : A(1);
        sum[ch] = k.sum(gr + ch * l.rest, l.rest);
        dot[ch] = (k.dot(gr + ch * l.rest, xr + ch * l.rest, l.rest) - mean * sum[ch]) * r;
        h += w * sum[ch];
        hn += w * dot[ch];
      }
      const A beta = -r * r * hn / count, gamma = -r * h / count - beta * mean;
      for (int64_t ch = 0; ch < l.each; ++ch) {
        const A w = scale ? static_cast<A>(scale[g * l.each + ch]) : A(1);
        k.norm_grad(xr + ch * l.rest, gr + ch * l.rest, nullptr, r * w, beta, gamma,
                    to + ch * l.rest, l.rest);
      }
      store_group(to, dx + base, l);
    }
  });
  const auto finish = [&](const std::vector<A>& parts, T* out) {
    for (int64_t ch = 0; ch < l.channels; ++ch) {
      double total = 0;
      for (int64_t n = 0; n < l.batch; ++n) {
        total += static_cast<double>(parts[static_cast<size_t>(n * l.channels + ch)]);
      }
      out[ch] = T(static_cast<A>(total));
    }
  };
  if (c.has(1)) finish(dots, c.out_data<T>(1));
  if (c.has(2)) finish(sums, c.out_data<T>(2));
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("group_norm", DeviceKind::kCpu, {DTypeOf<T>::value}, forward_kernel<T>);
  r.kernel("group_norm_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, backward_kernel<T>);
}

}  // namespace

void register_group_norm_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu

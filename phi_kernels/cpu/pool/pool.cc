// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the pools on the CPU. Channel-first data are walked plane by plane, channel-last data
// in strips of channels, which the inner loops take as vectors.
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/pool/pool_channels.h"
#include "phi_kernels/cpu/pool/pool_planes.h"
#include "phi_kernels/cpu/random/random.h"
#include "phi_kernels/cpu/rows/rows.h"
#include "phi_kernels/rules/pool.h"

namespace paddle::cpu {
namespace {

PoolLayout layout_of(const Shape& x, const Shape& out, bool channels_last) {
  PoolLayout l;
  l.channels_last = channels_last;
  l.batch = x[0].value();
  l.channels = x[channel_axis(channels_last, x.size())].value();
  const size_t axes = x.size() - 2;
  for (size_t a = 0; a < axes; ++a) {
    const size_t axis = spatial_axis(channels_last, a);
    l.in[3 - axes + a] = x[axis].value();
    l.out[3 - axes + a] = out[axis].value();
  }
  for (size_t k = 0; k + axes < 3; ++k) l.windows[k].add(0, 1, 1);
  return l;
}

PoolLayout layout_of(const PoolAttributes& a, const Shape& x, const Shape& out) {
  PoolLayout l = layout_of(x, out, a.channels_last());
  const size_t axes = x.size() - 2;
  for (size_t k = 0; k < axes; ++k) {
    const size_t at = 3 - axes + k;
    l.windows[at] = pool_windows(a, k, axes, l.in[at], l.out[at]);
  }
  return l;
}

constexpr int64_t kStrip = 64;

// body(first offset in the input, first offset in the output, channels in the strip) for every
// (image, strip of channels); a strip of channel-first data is one channel. Element p of the plane
// of channel j stands at offset + p * step + j, step = channels for channel-last data, else 1.
template <typename Body>
void parallel_strips(const PoolLayout& l, int64_t work_per_channel, Body&& body) {
  const int64_t width = l.channels_last ? kStrip : 1;
  const int64_t strips = ceil_div(l.channels, width);
  const int64_t work = std::max<int64_t>(1, work_per_channel * width);
  parallel_for(
      0, l.batch * strips, std::max<int64_t>(1, 32768 / work), [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; ++u) {
          const int64_t n = u / strips, first = u % strips * width;
          const int64_t count = std::min(width, l.channels - first);
          if (l.channels_last) {
            body(n * l.plane() * l.channels + first, n * l.positions() * l.channels + first, count);
          } else {
            body((n * l.channels + first) * l.plane(), (n * l.channels + first) * l.positions(),
                 count);
          }
        }
      });
}

// fn(output position, o0, o1, o2)
template <typename Fn>
void each_output(const PoolLayout& l, Fn&& fn) {
  int64_t at = 0;
  for (int64_t o0 = 0; o0 < l.out[0]; ++o0) {
    for (int64_t o1 = 0; o1 < l.out[1]; ++o1) {
      for (int64_t o2 = 0; o2 < l.out[2]; ++o2)
        fn(at++, static_cast<size_t>(o0), static_cast<size_t>(o1), static_cast<size_t>(o2));
    }
  }
}

// fn(position of the first element of a run, length) over the window's rows.
template <typename Fn>
inline void each_row(const PoolLayout& l, size_t o0, size_t o1, size_t o2, Fn&& fn) {
  const auto& [w0, w1, w2] = l.windows;
  const int64_t b2 = w2.begin[o2], length = w2.end[o2] - b2;
  if (length == l.in[2] && length > 0) {  // whole rows follow one another
    const int64_t b1 = w1.begin[o1], rows = w1.end[o1] - b1;
    for (int64_t i0 = w0.begin[o0]; i0 < w0.end[o0] && rows > 0; ++i0) {
      fn((i0 * l.in[1] + b1) * l.in[2], rows * length);
    }
    return;
  }
  for (int64_t i0 = w0.begin[o0]; i0 < w0.end[o0]; ++i0) {
    for (int64_t i1 = w1.begin[o1]; i1 < w1.end[o1]; ++i1) {
      fn((i0 * l.in[1] + i1) * l.in[2] + b2, length);
    }
  }
}

int64_t window_work(const PoolLayout& l) {
  int64_t work = 1;
  for (const AxisWindows& w : l.windows) {
    int64_t sum = 0;
    for (size_t o = 0; o < w.begin.size(); ++o) sum += w.end[o] - w.begin[o];
    work *= std::max<int64_t>(1, sum);
  }
  return work;
}

// What a window's sum is divided by; 1 for windows of padding alone, whose sum is 0.
double divisor_of(const PoolLayout& l, const PoolAttributes& a, size_t o0, size_t o1, size_t o2) {
  if (a.type == "sum") return 1;
  double product = 1;
  const std::array<size_t, 3> o{o0, o1, o2};
  for (size_t k = 0; k < 3; ++k) {
    const AxisWindows& w = l.windows[k];
    const auto width = a.exclusive || a.adaptive ? w.end[o[k]] - w.begin[o[k]] : w.full[o[k]];
    product *= static_cast<double>(std::max<int64_t>(1, width));
  }
  return product;
}

template <typename T>
double run_sum(const T* x, int64_t n) {
  if (n >= 8) return static_cast<double>(rows<T>().sum(x, n));
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return static_cast<double>(sum);
}

// Whether the only window of a channel is all of it.
bool is_global(const PoolLayout& l) {
  bool whole = !l.channels_last && l.positions() == 1;
  for (size_t k = 0; k < 3; ++k) {
    whole = whole && l.windows[k].begin[0] == 0 && l.windows[k].end[0] == l.in[k];
  }
  return whole;
}

// body(channel) over those of the whole batch.
template <typename Body>
void each_channel(const PoolLayout& l, Body&& body) {
  parallel_for(0, l.batch * l.channels, 32768 / std::clamp<int64_t>(l.plane(), 1, 32768),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) body(k);
               });
}

PlaneDivisor plane_divisor(const PoolAttributes& a) {
  return {a.type != "sum", a.exclusive || a.adaptive};
}

template <typename T>
void average(const PoolLayout& l, const PoolAttributes& a, const T* x, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    if (!l.channels_last && has_plane_average(l)) return plane_average(l, plane_divisor(a), x, out);
  }
  if (is_global(l)) {
    const double divisor = divisor_of(l, a, 0, 0, 0);
    return each_channel(l, [&](int64_t k) {
      const double total = run_sum(x + k * l.plane(), l.plane());
      out[k] = static_cast<T>(total / divisor);
    });
  }
  parallel_strips(l, window_work(l), [&](int64_t from, int64_t to, int64_t count) {
    const int64_t step = l.channels_last ? l.channels : 1;
    each_output(l, [&](int64_t at, size_t o0, size_t o1, size_t o2) {
      const double divisor = divisor_of(l, a, o0, o1, o2);
      if (!l.channels_last) {
        double total = 0;
        each_row(l, o0, o1, o2,
                 [&](int64_t p, int64_t length) { total += run_sum(x + from + p, length); });
        out[to + at] = static_cast<T>(total / divisor);
        return;
      }
      T total[kStrip] = {};
      each_row(l, o0, o1, o2, [&](int64_t p, int64_t length) {
        for (int64_t i = 0; i < length; ++i) {
          const T* row = x + from + (p + i) * step;
          for (int64_t j = 0; j < count; ++j) total[j] += row[j];
        }
      });
      T* result = out + to + at * step;
      const T d = static_cast<T>(divisor);
      for (int64_t j = 0; j < count; ++j) result[j] = T(total[j] / d);
    });
  });
}

template <typename T>
void average_grad(const PoolLayout& l, const PoolAttributes& a, const T* g, T* dx) {
  if constexpr (std::is_same_v<T, float>) {
    if (!l.channels_last && has_plane_average(l)) {
      return plane_average_grad(l, plane_divisor(a), g, dx);
    }
  }
  if (is_global(l)) {
    const auto divisor = static_cast<T>(divisor_of(l, a, 0, 0, 0));
    return each_channel(
        l, [&](int64_t k) { std::fill_n(dx + k * l.plane(), l.plane(), g[k] / divisor); });
  }
  parallel_strips(l, window_work(l), [&](int64_t from, int64_t to, int64_t count) {
    const int64_t step = l.channels_last ? l.channels : 1;
    std::vector<T> buffer;
    const bool direct = step == 1 && count == 1;  // the result itself has that order
    T* sum = dx + from;
    if (direct) {
      std::fill(sum, sum + l.plane(), T(0));
    } else {
      buffer.assign(static_cast<size_t>(l.plane() * count), T(0));
      sum = buffer.data();
    }
    each_output(l, [&](int64_t at, size_t o0, size_t o1, size_t o2) {
      const T d = static_cast<T>(divisor_of(l, a, o0, o1, o2));
      const T* value = g + to + at * step;
      T share[kStrip];
      for (int64_t j = 0; j < count; ++j) share[j] = value[j] / d;
      each_row(l, o0, o1, o2, [&](int64_t p, int64_t length) {
        if (count == 1) {
          for (int64_t i = 0; i < length; ++i) sum[p + i] += share[0];
          return;
        }
        for (int64_t i = 0; i < length; ++i) {
          T* row = sum + (p + i) * count;
          for (int64_t j = 0; j < count; ++j) row[j] += share[j];
        }
      });
    });
    for (int64_t p = 0; p < l.plane() && !direct; ++p) {
      T* row = dx + from + p * step;
      for (int64_t j = 0; j < count; ++j) row[j] = T(sum[p * count + j]);
    }
  });
}

// out and mask may be null.
void channel_maximum(const PoolLayout& l, const float* x, float* out, int32_t* mask) {
  parallel_strips(l, window_work(l), [&](int64_t from, int64_t to, int64_t count) {
    std::vector<int32_t> positions;
    each_output(l, [&](int64_t at, size_t o0, size_t o1, size_t o2) {
      positions.clear();
      each_row(l, o0, o1, o2, [&](int64_t p, int64_t length) {
        for (int64_t i = 0; i < length; ++i) positions.push_back(static_cast<int32_t>(p + i));
      });
      const int64_t offset = to + at * l.channels;
      window_maximum(x + from, l.channels, positions.data(), static_cast<int64_t>(positions.size()),
                     count, out ? out + offset : nullptr, mask ? mask + offset : nullptr);
    });
  });
}

// The first of equal maxima counts; NaN is never greater than a number. out may be null; without
// kPositions mask is not written.
template <typename T, bool kPositions>
void maximum(const PoolLayout& l, const T* x, T* out, int32_t* mask) {
  if constexpr (std::is_same_v<T, float>) {
    int32_t* positions = kPositions ? mask : nullptr;
    return l.channels_last ? channel_maximum(l, x, out, positions)
                           : plane_maximum(l, x, out, positions);
  }
  parallel_strips(l, window_work(l), [&](int64_t from, int64_t to, int64_t count) {
    const int64_t step = l.channels_last ? l.channels : 1;
    each_output(l, [&](int64_t at, size_t o0, size_t o1, size_t o2) {
      T best[kStrip];
      int32_t where[kStrip];
      std::fill_n(best, count, std::numeric_limits<T>::lowest());
      if constexpr (kPositions) std::fill_n(where, count, -1);
      each_row(l, o0, o1, o2, [&](int64_t p, int64_t length) {
        for (int64_t i = 0; i < length; ++i) {
          const T* __restrict row = x + from + (p + i) * step;
          const int32_t position = static_cast<int32_t>(p + i);
          for (int64_t j = 0; j < count; ++j) {
            const T v = row[j];
            if constexpr (kPositions) where[j] = v > best[j] ? position : where[j];
            best[j] = v > best[j] ? v : best[j];
          }
        }
      });
      for (int64_t j = 0; j < count; ++j) {
        if (out) out[to + at * step + j] = T(best[j]);
        if constexpr (kPositions) mask[to + at * step + j] = where[j];
      }
    });
  });
}

// -- values along positions -----------------------------------------------------------------------

[[noreturn]] void throw_position(const char* op, int64_t position, int64_t plane) {
  throw_error(ErrorKind::kValue,
              str(op, ": indices holds ", position, "; positions must lie in [0, ", plane,
                  "), the elements of one channel of the output."));
}

template <typename Index, typename Fn>
void each_position_of(const char* op, const PoolLayout& l, const Index* indices, bool may_be_none,
                      Fn&& fn) {
  const int64_t plane = l.plane(), positions = l.positions();
  const int64_t step = l.channels_last ? l.channels : 1;
  parallel_strips(l, positions, [&](int64_t from, int64_t to, int64_t count) {
    if (step == 1 && count == 1) {
      for (int64_t i = to; i < to + positions; ++i) {
        const int64_t p = indices[i];
        const bool inside = static_cast<uint64_t>(p) < static_cast<uint64_t>(plane);
        if (!inside && !(p == -1 && may_be_none)) throw_position(op, p, plane);
        fn(i, inside ? from + p : int64_t{-1});
      }
      return;
    }
    for (int64_t at = 0; at < positions; ++at) {
      for (int64_t j = 0; j < count; ++j) {
        const int64_t i = to + at * step + j, p = indices[i];
        if (p >= 0 && p < plane) [[likely]] {
          fn(i, from + p * step + j);
        } else if (p == -1 && may_be_none) {
          fn(i, int64_t{-1});
        } else {
          throw_position(op, p, plane);
        }
      }
    }
  });
}

// fn(offset of the value, offset of the element that it belongs to, or -1 where there is none)
template <typename Fn>
void each_position(const char* op, const PoolLayout& l, const Tensor& indices, bool may_be_none,
                   Fn&& fn) {
  if (indices.dtype() == DType::kInt64) {
    each_position_of(op, l, indices.data<int64_t>(), may_be_none, fn);
  } else {
    each_position_of(op, l, indices.data<int32_t>(), may_be_none, fn);
  }
}

Tensor integer_indices(const KernelContext& c, int k) {
  const Tensor t = c.in_tensor(k);
  if (t.dtype() == DType::kInt32 || t.dtype() == DType::kInt64) return t;
  const Tensor out = Tensor::empty(t.shape(), DType::kInt64, t.place());
  out.copy_data_from(t);
  return out;
}

// -- kernels --------------------------------------------------------------------------------------

// arguments: x, kernel_size, strides, paddings, ceil_mode, exclusive, data_format, pooling_type,
// ...
template <typename T>
void pool_kernel(KernelContext& c) {
  const PoolAttributes a = pool_attributes(c);
  if (c.out(0).numel == 0) return;
  const PoolLayout l = layout_of(a, c.in(0).shape, c.out(0).shape);
  if (a.type != "max") {
    average(l, a, c.in_data<T>(0), c.out_data<T>(0));
  } else {
    maximum<T, false>(l, c.in_data<T>(0), c.out_data<T>(0), nullptr);
  }
}

// arguments: x (its shape), out_grad, ...
template <typename T>
void avg_grad_kernel(KernelContext& c) {
  const PoolAttributes a = pool_attributes(c);
  if (c.out(0).numel == 0) return;
  average_grad(layout_of(a, c.in(0).shape, c.in(1).shape), a, c.in_data<T>(1), c.out_data<T>(0));
}

template <typename T>
void with_index_kernel(KernelContext& c) {
  const PoolAttributes a = pool_attributes(c);
  if (c.out(0).numel == 0) return;
  maximum<T, true>(layout_of(a, c.in(0).shape, c.out(0).shape), c.in_data<T>(0), c.out_data<T>(0),
                   c.out_data<int32_t>(1));
}

template <typename T>
void indices_kernel(KernelContext& c) {
  const PoolAttributes a = pool_attributes(c);
  if (c.out(0).numel == 0) return;
  maximum<T, true>(layout_of(a, c.in(0).shape, c.out(0).shape), c.in_data<T>(0), nullptr,
                   c.out_data<int32_t>(0));
}

// arguments: x, output_size, kernel_size, random_u, return_mask
template <typename T>
void fractional_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  PoolLayout l = layout_of(c.in(0).shape, c.out(0).shape, false);
  const size_t axes = c.ints(1).size();
  double u = c.f(3);
  if (u == 0) u = std::max(unit(bits64(whole_state(c), 0)), 0x1.0p-53);  // in (0, 1)
  for (size_t k = 0; k < axes; ++k) {
    const size_t at = 3 - axes + k;
    l.windows[at] = fractional_windows(l.in[at], l.out[at], c.ints(2)[k].value(), u);
  }
  maximum<T, true>(l, c.in_data<T>(0), c.out_data<T>(0), c.out_data<int32_t>(1));
}

// arguments: x (its shape), values, indices, data_format
template <typename T>
void scatter_kernel(KernelContext& c) {
  TensorImpl& out = c.out(0);
  if (out.numel == 0) return;
  const PoolLayout l = layout_of(out.shape, c.in(1).shape, is_channels_last(c.text(3)));
  const T* values = c.in_data<T>(1);
  T* sum = c.out_data<T>(0);
  parallel_for(0, out.numel, 65536,
               [&](int64_t b, int64_t e) { std::fill(sum + b, sum + e, T(0)); });
  each_position(c.op().name(), l, integer_indices(c, 2), true, [&](int64_t i, int64_t element) {
    if (element >= 0) sum[element] += values[i];
  });
}

// arguments: x, indices, data_format
template <typename T>
void gather_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const PoolLayout l = layout_of(c.in(0).shape, c.out(0).shape, is_channels_last(c.text(2)));
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  each_position(c.op().name(), l, integer_indices(c, 1), true,
                [&](int64_t i, int64_t element) { out[i] = element < 0 ? T(0.0f) : x[element]; });
}

// arguments: x, indices, ksize, strides, padding, output_size, data_format
template <typename T>
void unpool_kernel(KernelContext& c) {
  TensorImpl& out = c.out(0);
  T* target = c.out_data<T>(0);
  std::fill(target, target + out.numel, T(0.0f));
  if (c.in(0).numel == 0) return;
  const PoolLayout l = layout_of(out.shape, c.in(0).shape, is_channels_last(c.text(6)));
  const T* x = c.in_data<T>(0);
  each_position(c.op().name(), l, integer_indices(c, 1), false,
                [&](int64_t i, int64_t element) { target[element] = x[i]; });
}

}  // namespace

void register_pool_cpu(Registry& r) {
#define PADDLE_ADD(op, kernel) add_floats<kernel<float>, kernel<double>>(r, op)
  PADDLE_ADD("pool2d", pool_kernel);
  PADDLE_ADD("pool3d", pool_kernel);
  PADDLE_ADD("max_pool2d_with_index", with_index_kernel);
  PADDLE_ADD("max_pool3d_with_index", with_index_kernel);
  PADDLE_ADD("fractional_max_pool2d", fractional_kernel);
  PADDLE_ADD("fractional_max_pool3d", fractional_kernel);
  PADDLE_ADD("unpool", unpool_kernel);
  PADDLE_ADD("unpool3d", unpool_kernel);
  PADDLE_ADD("avg_pool_grad", avg_grad_kernel);
  PADDLE_ADD("max_pool_indices", indices_kernel);
  PADDLE_ADD("pool_scatter", scatter_kernel);
  PADDLE_ADD("pool_gather", gather_kernel);
#undef PADDLE_ADD
}

}  // namespace paddle::cpu

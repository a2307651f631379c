// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of cross_entropy_with_softmax and its gradient on the CPU: softmax and loss of a row in
// one visit, or of the classes of several pixels beside each other.
#include <atomic>
#include <cmath>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loss/labels.h"
#include "phi_kernels/cpu/rows/lanes.h"

namespace paddle::cpu {
namespace {

template <typename T>
struct Row {
  using A = RowType<T>;
  std::vector<A> a, b, c, d;
};

// body(first lane, memory of its first class, lanes) for the lanes of every line in groups, which
// lie side by side in memory; at most 16 of them.
template <typename Body>
void parallel_groups(const Lanes& l, int64_t width, Body&& body) {
  const int64_t in_a_line = (l.inner + width - 1) / width;
  const int64_t grain = std::max<int64_t>(1, 16384 / (l.length * width));
  parallel_for(0, l.outer * in_a_line, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i / in_a_line, at = i % in_a_line * width;
      body(line * l.inner + at, line * l.length * l.inner + at, std::min(width, l.inner - at));
    }
  });
}

// Hard labels behind an axis that is not the last one: softmax in columns.
void forward_columns(const Lanes& l, const float* x, const Labels& labels, int64_t ignored,
                     float* probability, float* loss, std::atomic<int64_t>& bad) {
  const RowKernels<float>& k = rows<float>();
  parallel_groups(l, k.columns, [&](int64_t lane, int64_t base, int64_t count) {
    constexpr int64_t kMost = 16;
    constexpr int64_t kNear = 4096;
    const int64_t needed = l.length * k.columns * (count < k.columns ? 3 : 1);
    float near[kNear];
    std::vector<float> far(needed > kNear ? static_cast<size_t>(needed) : 0);
    float* const scratch = needed > kNear ? far.data() : near;
    float* p = probability + base;
    const float* from = x + base;
    int64_t step = l.inner;
    float* made = p;
    if (count < k.columns) {  // the last of a line: copied beside zeros
      const int64_t block = l.length * k.columns;
      float *in = scratch + block, *out = in + block;
      std::fill(in, out, 0.0f);
      for (int64_t j = 0; j < l.length; ++j) {
        std::copy(from + j * step, from + j * step + count, in + j * k.columns);
      }
      from = in, made = out, step = k.columns;
    }
    float sums[2 * kMost];
    k.softmax_columns(false, from, l.length, step, scratch, sums, made);
    if (made != p) {
      for (int64_t j = 0; j < l.length; ++j) {
        std::copy(made + j * step, made + j * step + count, p + j * l.inner);
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t label = labels[lane + i];
      const bool inside = label >= 0 && label < l.length;
      if (!inside && label != ignored) bad.store(label, std::memory_order_relaxed);
      const bool counts = inside && label != ignored;
      loss[lane + i] = counts ? sums[i] - from[label * step + i] + sums[k.columns + i] : 0.0f;
    }
  });
}

void backward_columns(const Lanes& l, const float* probability, const Labels& labels,
                      int64_t ignored, const float* grad, float* out) {
  constexpr int64_t kMost = 16;
  parallel_groups(l, kMost, [&](int64_t lane, int64_t base, int64_t count) {
    float factor[kMost];
    bool counts[kMost];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t label = labels[lane + i];
      counts[i] = label != ignored && label >= 0 && label < l.length;
      factor[i] = counts[i] ? grad[lane + i] : 0.0f;
    }
    for (int64_t j = 0; j < l.length; ++j) {
      const float* p = probability + base + j * l.inner;
      float* to = out + base + j * l.inner;
      for (int64_t i = 0; i < count; ++i) to[i] = counts[i] ? p[i] * factor[i] : 0.0f;
    }
    for (int64_t i = 0; i < count; ++i) {
      if (counts[i]) out[base + labels[lane + i] * l.inner + i] -= factor[i];
    }
  });
}

// arguments: input, label, soft_label, use_softmax, numeric_stable_mode, ignore_index, axis
template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = lanes_of(c.in(0).shape, c.i(6));
  const bool soft = c.b(2), use_softmax = c.b(3);
  const int64_t ignored = c.i(5);
  const T* x = c.in_data<T>(0);
  T *probability = c.out_data<T>(0), *loss = c.out_data<T>(1);
  const Labels labels{c.in(1).data(), c.in(1).dtype};
  const RowKernels<A>& k = rows<A>();
  std::atomic<int64_t> bad{INT64_MIN};
  for (int64_t i = 0; l.length == 0 && i < c.out(1).numel; ++i) {  // no classes, no lanes
    if (!soft && labels[i] != ignored) bad = labels[i];
    loss[i] = T(0.0f);
  }
  const bool columns =
      std::is_same_v<T, float> && l.inner > 1 && l.length > 0 && !soft && use_softmax;
  if constexpr (std::is_same_v<T, float>) {
    if (columns) forward_columns(l, x, labels, ignored, probability, loss, bad);
  }
  if (!columns)
    parallel_lanes(l, [&](int64_t begin, int64_t end) {
      Row<T> buffer;
      for (int64_t lane = begin; lane < end; ++lane) {
        const int64_t base = l.base(lane);
        const A* row = load_lane(x, l, base, buffer.a);
        A* p = begin_lane(probability, l, base, buffer.b);
        // log p[j] = row[j] - offset; with probabilities as input log(row[j]).
        A offset = 0;
        if (use_softmax) {
          const A top = k.max(row, l.length);
          const A total = k.exp_shift(row, top, p, l.length);
          offset = top + std::log(total);
          k.scale(p, 1 / total, p, l.length);
        } else {
          k.scale(row, 1, p, l.length);
        }
        const auto log_probability = [&](int64_t j) {
          return use_softmax ? row[j] - offset : std::log(row[j]);
        };
        A value = 0;
        if (soft) {
          const A* target = load_lane(static_cast<const T*>(labels.data), l, base, buffer.c);
          if (use_softmax) {
            buffer.d.resize(static_cast<size_t>(l.length));
            k.shift(row, -offset, buffer.d.data(), l.length);
            value = -k.dot(target, buffer.d.data(), l.length);
          }
          if (!use_softmax || !std::isfinite(value)) {  // classes of probability 0 do not count
            value = 0;
            for (int64_t j = 0; j < l.length; ++j) {
              if (target[j] != 0) value -= target[j] * log_probability(j);
            }
          }
        } else {
          const int64_t label = labels[lane];
          if (label >= 0 && label < l.length && label != ignored) {
            value = -log_probability(label);
          } else if (label != ignored) {
            bad.store(label, std::memory_order_relaxed);
          }
        }
        store_lane(p, probability, l, base);
        loss[lane] = T(value);
      }
    });
  PADDLE_CHECK_INDEX(bad == INT64_MIN, "cross_entropy_with_softmax: label has value ", bad.load(),
                     "; a class index must lie in [0, ", l.length,
                     ") or equal ignore_index = ", ignored, ".");
}

// arguments: label, softmax, loss_grad, soft_label, use_softmax, numeric_stable_mode, ignore_index,
// axis
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = lanes_of(c.in(1).shape, c.i(7));
  const bool soft = c.b(3), use_softmax = c.b(4);
  const int64_t ignored = c.i(6);
  const T *probability = c.in_data<T>(1), *grad = c.in_data<T>(2);
  T* out = c.out_data<T>(0);
  const Labels labels{c.in(0).data(), c.in(0).dtype};
  const RowKernels<A>& k = rows<A>();
  if constexpr (std::is_same_v<T, float>) {
    if (l.inner > 1 && l.length > 0 && !soft && use_softmax) {
      return backward_columns(l, probability, labels, ignored, grad, out);
    }
  }
  parallel_lanes(l, [&](int64_t begin, int64_t end) {
    Row<T> buffer;
    for (int64_t lane = begin; lane < end; ++lane) {
      const int64_t base = l.base(lane);
      const A* p = load_lane(probability, l, base, buffer.a);
      A* to = begin_lane(out, l, base, buffer.b);
      const A g = static_cast<A>(grad[lane]);
      if (soft) {
        const A* target = load_lane(static_cast<const T*>(labels.data), l, base, buffer.c);
        if (use_softmax) {
          k.scale(p, g * k.sum(target, l.length), to, l.length);
          k.axpy(-g, target, to, l.length);
        } else {
          for (int64_t j = 0; j < l.length; ++j) to[j] = target[j] == 0 ? 0 : -g * target[j] / p[j];
        }
      } else {
        const int64_t label = labels[lane];
        const bool counts = label != ignored && label >= 0 && label < l.length;
        if (counts && use_softmax) {
          k.scale(p, g, to, l.length);
          to[label] -= g;
        } else {
          std::fill(to, to + l.length, A(0));
          if (counts) to[label] = -g / p[label];
        }
      }
      store_lane(to, out, l, base);
    }
  });
}

template <typename T>
void add_both(Registry& r) {
  const DType t = DTypeOf<T>::value;
  r.kernel("cross_entropy_with_softmax", DeviceKind::kCpu, {t}, forward_kernel<T>);
  r.kernel("cross_entropy_with_softmax_grad", DeviceKind::kCpu, {t}, backward_kernel<T>);
}

}  // namespace

void register_cross_entropy_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu

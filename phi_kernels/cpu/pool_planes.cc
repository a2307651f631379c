// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of results, one after the other.
#include "phi_kernels/cpu/pool_planes.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/pool_channels.h"
#include "phi_kernels/cpu/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrain = 32768;  // elements of the input worth a second thread
constexpr int64_t kMostRows = 64;  // of a window whose columns are added in float32

// body(plane) over all planes of the batch.
template <typename Body>
void each_plane(const PoolLayout& l, Body&& body) {
  parallel_for(0, l.batch * l.channels,
               std::max<int64_t>(1, kGrain / std::max<int64_t>(1, l.plane())), body);
}

// fn(o0, o1, starts of the window's rows in the plane) for every row of results.
template <typename Fn>
void each_result_row(const PoolLayout& l, std::vector<int32_t>& starts, Fn&& fn) {
  const auto& [w0, w1, w2] = l.windows;
  for (size_t o0 = 0; o0 < w0.begin.size(); ++o0) {
    for (size_t o1 = 0; o1 < w1.begin.size(); ++o1) {
      starts.clear();
      for (int64_t i0 = w0.begin[o0]; i0 < w0.end[o0]; ++i0) {
        for (int64_t i1 = w1.begin[o1]; i1 < w1.end[o1]; ++i1) {
          starts.push_back(static_cast<int32_t>((i0 * l.in[1] + i1) * l.in[2]));
        }
      }
      fn(o0, o1);
    }
  }
}

struct Column {
  float value;
  int32_t position;
};

// The maximum of columns [begin, end), of equal ones that of the first position. A column that is
// empty or holds no number has position -1.
Column best_column(const float* values, const int32_t* rows, int64_t begin, int64_t end) {
  Column best{std::numeric_limits<float>::lowest(), -1};
  for (int64_t i = begin; i < end; ++i) {
    if (rows[i] < 0) continue;
    const auto position = static_cast<int32_t>(rows[i] + i);
    const bool better = values[i] > best.value;
    const bool earlier = values[i] == best.value && position < best.position;
    if (better || earlier) best = {values[i], position};
  }
  return best;
}

float best_value(const float* values, int64_t begin, int64_t end) {
  float best = std::numeric_limits<float>::lowest();
  for (int64_t i = begin; i < end; ++i) best = values[i] > best ? values[i] : best;
  return best;
}

// What sums of windows are divided by: the product over the axes.
double extent_of(const AxisWindows& w, size_t o, PlaneDivisor d) {
  if (!d.divides) return 1;
  return static_cast<double>(d.inside ? w.end[o] - w.begin[o] : w.full[o]);
}

}  // namespace

void plane_maximum(const PoolLayout& l, const float* x, float* out, int32_t* mask) {
  const AxisWindows& last = l.windows[2];
  const int64_t width = l.in[2];
  each_plane(l, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> starts, rows(mask ? static_cast<size_t>(width) : 0);
    std::vector<float> values(static_cast<size_t>(width));
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t at = plane * l.positions();
      each_result_row(l, starts, [&](size_t, size_t) {
        window_maximum(x + plane * l.plane(), 1, starts.data(), static_cast<int64_t>(starts.size()),
                       width, values.data(), mask ? rows.data() : nullptr);
        for (size_t o = 0; o < last.begin.size(); ++o, ++at) {
          if (!mask) {
            out[at] = best_value(values.data(), last.begin[o], last.end[o]);
            continue;
          }
          const Column best = best_column(values.data(), rows.data(), last.begin[o], last.end[o]);
          if (out) out[at] = best.value;
          mask[at] = best.position;
        }
      });
    }
  });
}

bool has_plane_average(const PoolLayout& l) {
  int64_t rows = 1;
  bool wide = false;
  for (size_t a = 0; a < 3; ++a) {
    const AxisWindows& w = l.windows[a];
    int64_t most = 0;
    for (size_t o = 0; o < w.begin.size(); ++o) most = std::max(most, w.end[o] - w.begin[o]);
    if (a < 2) rows *= std::max<int64_t>(1, most);
    if (a == 2) wide = most == l.in[2] || most > kMostRows;  // rows are better added as they lie
  }
  return !wide && rows <= kMostRows;
}

void plane_average(const PoolLayout& l, PlaneDivisor divisor, const float* x, float* out) {
  const RowKernels<float>& k = rows<float>();
  const auto& [w0, w1, last] = l.windows;
  each_plane(l, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> starts;
    std::vector<float> sums(static_cast<size_t>(l.in[2]));
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t at = plane * l.positions();
      each_result_row(l, starts, [&](size_t o0, size_t o1) {
        std::fill(sums.begin(), sums.end(), 0.0f);
        for (const int32_t row : starts) {
          k.axpy(1, x + plane * l.plane() + row, sums.data(), l.in[2]);
        }
        const double outer = extent_of(w0, o0, divisor) * extent_of(w1, o1, divisor);
        for (size_t o = 0; o < last.begin.size(); ++o, ++at) {
          float total = 0;
          for (int64_t i = last.begin[o]; i < last.end[o]; ++i)
            total += sums[static_cast<size_t>(i)];
          out[at] = total / static_cast<float>(outer * extent_of(last, o, divisor));
        }
      });
    }
  });
}

void plane_average_grad(const PoolLayout& l, PlaneDivisor divisor, const float* g, float* dx) {
  const RowKernels<float>& k = rows<float>();
  const auto& [w0, w1, last] = l.windows;
  each_plane(l, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> starts;
    std::vector<float> shares(static_cast<size_t>(l.in[2]));
    for (int64_t plane = begin; plane < end; ++plane) {
      float* to = dx + plane * l.plane();
      std::fill(to, to + l.plane(), 0.0f);
      int64_t at = plane * l.positions();
      each_result_row(l, starts, [&](size_t o0, size_t o1) {
        std::fill(shares.begin(), shares.end(), 0.0f);
        const double outer = extent_of(w0, o0, divisor) * extent_of(w1, o1, divisor);
        for (size_t o = 0; o < last.begin.size(); ++o, ++at) {
          const float share = g[at] / static_cast<float>(outer * extent_of(last, o, divisor));
          for (int64_t i = last.begin[o]; i < last.end[o]; ++i)
            shares[static_cast<size_t>(i)] += share;
        }
        for (const int32_t row : starts) k.axpy(1, shares.data(), to + row, l.in[2]);
      });
    }
  });
}

}  // namespace paddle::cpu

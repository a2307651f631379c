// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of results, one after the other.
#include "phi_kernels/cpu/pool/pool_planes.h"

#include <immintrin.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/pool/pool_channels.h"
#include "phi_kernels/cpu/rows/rows.h"

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

// The windows [first, last) of an axis that are `width` long and `step` apart: all but those at its
// ends that padding cuts.
struct EvenWindows {
  size_t first = 0, last = 0;
  int64_t step = 1, width = 0;

  explicit EvenWindows(const AxisWindows& w) {
    const size_t n = w.begin.size(), middle = n / 2;
    if (n < 2 || w.end[middle] <= w.begin[middle]) return;
    width = w.end[middle] - w.begin[middle];
    step = w.begin[middle] - w.begin[middle - 1];
    const auto fits = [&](size_t o) {
      const auto ahead = static_cast<int64_t>(o) - static_cast<int64_t>(middle);
      return w.begin[o] == w.begin[middle] + ahead * step && w.end[o] == w.begin[o] + width;
    };
    first = last = middle;
    while (last < n && fits(last)) ++last;
    while (first > 0 && fits(first - 1)) --first;
  }

  // The first window from o on that is not one of these.
  size_t next_odd(size_t o) const { return o >= first && o < last ? last : o; }
};

typedef float Eight __attribute__((vector_size(32), aligned(4)));

// Every second of 16 values.
__attribute__((target("avx2"))) inline Eight every_second(const float* p) {
  const __m256 low = _mm256_loadu_ps(p), high = _mm256_loadu_ps(p + 8);
  const __m256d both = _mm256_castps_pd(_mm256_shuffle_ps(low, high, 0x88));
  return _mm256_castpd_ps(_mm256_permute4x64_pd(both, 0xD8));
}

// f(out[o], value) for the values of every window, after out[o] = start.
template <typename F>
__attribute__((target("avx2"))) void slide_by(const float* __restrict values, int64_t step,
                                              int64_t width, int64_t count, float start,
                                              float* __restrict out, F f) {
  int64_t o = 0;
  for (; step == 1 && o + 8 <= count; o += 8) {
    Eight all = Eight{} + start;
    for (int64_t j = 0; j < width; ++j) f(all, Eight(_mm256_loadu_ps(values + o + j)));
    *reinterpret_cast<Eight*>(out + o) = all;
  }
  for (; step == 2 && o + 8 < count; o += 8) {
    Eight all = Eight{} + start;
    for (int64_t j = 0; j < width; ++j) f(all, every_second(values + o * 2 + j));
    *reinterpret_cast<Eight*>(out + o) = all;
  }
  for (; o < count; ++o) {
    out[o] = start;
    for (int64_t j = 0; j < width; ++j) f(out[o], values[o * step + j]);
  }
}
template <typename F>
void slide(const AxisWindows& w, const EvenWindows& even, const float* values, float start,
           float* out, F f) {
  if (even.first == even.last) return;
  const float* from = values + w.begin[even.first];
  const auto count = static_cast<int64_t>(even.last - even.first);
  slide_by(from, even.step, even.width, count, start, out + even.first, f);
}

// What sums of windows are divided by: the product over the axes. Windows of padding alone have the
// sum 0.
double extent_of(const AxisWindows& w, size_t o, PlaneDivisor d) {
  if (!d.divides) return 1;
  return static_cast<double>(std::max<int64_t>(1, d.inside ? w.end[o] - w.begin[o] : w.full[o]));
}
std::vector<double> extents_of(const AxisWindows& w, PlaneDivisor d) {
  std::vector<double> extents;
  for (size_t o = 0; o < w.begin.size(); ++o) extents.push_back(extent_of(w, o, d));
  return extents;
}

// Planes whose result rows are short, with windows that are alike: the sums of the rows of all
// windows of a plane lie one behind the other, and columns are added up across their borders.
class ShortRows {
 public:
  __attribute__((cold)) explicit ShortRows(const PoolLayout& l) : l_(l) {
    constexpr int64_t kShort = 16;
    EvenWindows even[3] = {EvenWindows(l.windows[0]), EvenWindows(l.windows[1]),
                           EvenWindows(l.windows[2])};
    for (size_t a = 0; a < 3; ++a) {
      const AxisWindows& w = l.windows[a];
      if (w.begin.size() == 1 && w.end[0] > w.begin[0]) {
        even[a].last = 1;
        even[a].width = w.end[0] - w.begin[0];
      }
      const bool alike = std::count(w.full.begin(), w.full.end(), w.full[0]) ==
                         static_cast<int64_t>(w.full.size());
      if (!alike || even[a].first != 0 || even[a].last != w.begin.size()) return;
    }
    step_ = even[2].step;
    width_ = even[2].width;
    const bool whole = step_ == 1 || step_ * l.out[2] == l.in[2];
    fits_ = whole && l.out[2] > 1 && l.out[2] < kShort && l.windows[2].begin[0] == 0;
    if (!fits_) return;
    each_result_row(l, starts_of_row_, [&](size_t, size_t) {
      starts_.insert(starts_.end(), starts_of_row_.begin(), starts_of_row_.end());
    });
    rows_ = l.positions() / l.out[2];
  }
  explicit operator bool() const { return fits_; }

  // Numbers that a thread needs.
  int64_t room() const { return 2 * (rows_ * l_.in[2] + 8); }

  // One plane, `left` numbers before the end of the tensor.
  __attribute__((target("avx2"))) void average(const float* x, int64_t left, float divisor,
                                               float* room, float* out) const {
    const auto taps = static_cast<int64_t>(starts_of_row_.size());
    const int64_t n = l_.in[2], total = rows_ * n;
    for (int64_t r = 0; r < rows_; ++r) {
      const int32_t* const starts = starts_.data() + r * taps;
      for (int64_t i = 0; i < n; i += 8) {
        float* const to = room + r * n + i;
        if (starts[taps - 1] + i + 8 <= left) {  // what is too much the next row replaces
          Eight sum{};
          for (int64_t j = 0; j < taps; ++j) sum += Eight(_mm256_loadu_ps(x + starts[j] + i));
          *reinterpret_cast<Eight*>(to) = sum;
          continue;
        }
        for (int64_t q = 0; q < std::min<int64_t>(8, n - i); ++q) {
          to[q] = 0;
          for (int64_t j = 0; j < taps; ++j) to[q] += x[starts[j] + i + q];
        }
      }
    }
    const auto add = [](auto& sum, const auto& v) __attribute__((always_inline)) { sum += v; };
    const int64_t results = rows_ * l_.out[2];
    if (step_ == 1) {
      float* const sums = room + total + 8;
      slide_by(room, 1, width_, total - width_ + 1, 0.0f, sums, add);
      for (int64_t r = 0; r < rows_; ++r) {
        std::copy(sums + r * n, sums + r * n + l_.out[2], out + r * l_.out[2]);
      }
    } else {
      slide_by(room, step_, width_, results, 0.0f, out, add);
    }
    for (int64_t i = 0; i < results; ++i) out[i] /= divisor;
  }

 private:
  const PoolLayout& l_;
  bool fits_ = false;
  int64_t step_ = 0, width_ = 0, rows_ = 0;
  std::vector<int32_t> starts_of_row_, starts_;  // of the rows of a window; of all windows
};

}  // namespace

void plane_maximum(const PoolLayout& l, const float* x, float* out, int32_t* mask) {
  const AxisWindows& last = l.windows[2];
  const int64_t width = l.in[2];
  const EvenWindows even(last);
  each_plane(l, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> starts, rows(mask ? static_cast<size_t>(width) : 0);
    std::vector<float> values(static_cast<size_t>(width));
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t at = plane * l.positions();
      each_result_row(l, starts, [&](size_t, size_t) {
        const float* columns = x + plane * l.plane();
        if (mask || starts.size() != 1) {
          window_maximum(columns, 1, starts.data(), static_cast<int64_t>(starts.size()), width,
                         values.data(), mask ? rows.data() : nullptr);
          columns = values.data();
        } else {
          columns += starts[0];
        }
        if (!mask) {
          slide(
              last, even, columns, std::numeric_limits<float>::lowest(), out + at,
              [](auto& best, const auto& v)
                  __attribute__((always_inline)) { best = v > best ? v : best; });
        }
        if (!mask) {
          for (size_t o = even.next_odd(0); o < last.begin.size(); o = even.next_odd(o + 1)) {
            out[at + static_cast<int64_t>(o)] = best_value(columns, last.begin[o], last.end[o]);
          }
          at += l.out[2];
          return;
        }
        for (size_t o = 0; o < last.begin.size(); ++o, ++at) {
          const Column best = best_column(columns, rows.data(), last.begin[o], last.end[o]);
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
  if (const ShortRows short_rows(l); short_rows) {
    double extent = 1;
    for (const AxisWindows& w : l.windows) extent *= extent_of(w, 0, divisor);
    const int64_t end_of_x = l.batch * l.channels * l.plane();
    return each_plane(l, [&](int64_t begin, int64_t end) {
      std::vector<float> room(static_cast<size_t>(short_rows.room()));
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t at = plane * l.plane();
        short_rows.average(x + at, end_of_x - at, static_cast<float>(extent), room.data(),
                           out + plane * l.positions());
      }
    });
  }
  const RowKernels<float>& k = rows<float>();
  const auto& [w0, w1, last] = l.windows;
  const EvenWindows even(last);
  const std::vector<double> extents = extents_of(last, divisor);
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
        slide(
            last, even, sums.data(), 0.0f, out + at,
            [](auto& sum, const auto& v) __attribute__((always_inline)) { sum += v; });
        float* result = out + at;
        for (size_t o = even.next_odd(0); o < last.begin.size(); o = even.next_odd(o + 1)) {
          float total = 0;
          for (int64_t i = last.begin[o]; i < last.end[o]; ++i)
            total += sums[static_cast<size_t>(i)];
          result[o] = total;
        }
        for (size_t o = 0; o < extents.size(); ++o) {
          result[o] /= static_cast<float>(outer * extents[o]);
        }
        at += l.out[2];
      });
    }
  });
}

void plane_average_grad(const PoolLayout& l, PlaneDivisor divisor, const float* g, float* dx) {
  const RowKernels<float>& k = rows<float>();
  const auto& [w0, w1, last] = l.windows;
  const std::vector<double> extents = extents_of(last, divisor);
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
          const float share = g[at] / static_cast<float>(outer * extents[o]);
          for (int64_t i = last.begin[o]; i < last.end[o]; ++i)
            shares[static_cast<size_t>(i)] += share;
        }
        for (const int32_t row : starts) k.axpy(1, shares.data(), to + row, l.in[2]);
      });
    }
  });
}

}  // namespace paddle::cpu

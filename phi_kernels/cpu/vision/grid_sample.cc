// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel of grid_sample on the CPU: the elements around a strip of positions and their weights are
// found once and applied to every channel.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/vision/sample_strip.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

enum class Border { kZeros, kClamp, kReflect };

struct SampleRule {
  bool nearest, align_corners;
  Border border;

  // Grid coordinates as positions among `size` elements. Short loops without branches, which become
  // loops over vectors.
  template <typename W>
  __attribute__((target("avx2"), noinline)) void positions(const W* g, int64_t count, W size,
                                                           W* x) const {
    const W span = align_corners ? size - 1 : size, shift = align_corners ? W(0) : W(0.5);
    if (align_corners) {
      for (int64_t p = 0; p < count; ++p) x[p] = (g[p] + 1) * ((size - 1) / 2);
    } else {
      for (int64_t p = 0; p < count; ++p) x[p] = ((g[p] + 1) * size - 1) * W(0.5);
    }
    if (border == Border::kZeros) return;
    if (border == Border::kReflect && span == 0) {
      for (int64_t p = 0; p < count; ++p) x[p] = x[p] * 0;
    } else if (border == Border::kReflect) {
      for (int64_t p = 0; p < count; ++p) {
        const W distance = std::abs(x[p] + shift);
        const W rest = distance - std::floor(distance / (2 * span)) * (2 * span);
        const W back = 2 * span - rest;
        x[p] = (back < rest ? back : rest) - shift;
      }
    }
    for (int64_t p = 0; p < count; ++p) {
      const W low = x[p] < 0 ? W(0) : x[p];  // not-a-number stays one
      x[p] = size - 1 < low ? size - 1 : low;
    }
  }

  // The derivative of a position by its coordinate.
  template <typename W>
  W slope(W g, int64_t n) const {
    const W size = static_cast<W>(n), span = align_corners ? size - 1 : size;
    if (border == Border::kZeros) return span / 2;
    const W shift = align_corners ? W(0) : W(0.5);
    W x = align_corners ? (g + 1) * ((size - 1) / 2) : ((g + 1) * size - 1) * W(0.5), bend = 1;
    if (border == Border::kReflect) {
      if (span == 0) return 0;
      const W from = x + shift, distance = std::abs(from);
      const W rest = distance - std::floor(distance / (2 * span)) * (2 * span);
      bend = sign(from) * sign(span - rest);
      x = std::min(rest, 2 * span - rest) - shift;
    }
    return x >= 0 && x <= size - 1 ? bend * span / 2 : W(0);
  }
  template <typename W>
  static W sign(W x) {
    return static_cast<W>((x > 0) - (x < 0));
  }
};

constexpr int64_t kStrip = 128;

// The elements around a strip of positions: tap t of position p stands at [t][p]. Bit `axis` of a
// tap is its side; the nearest elements are one tap.
template <typename W, int kAxes>
struct Strip {
  int32_t offset[1 << kAxes][kStrip];
  W weight[1 << kAxes][kStrip];
  int taps;
  // The two elements next to each position along an axis, and their weights: 0 outside the image.
  int32_t next[kAxes][2][kStrip];
  W along[kAxes][2][kStrip];
  int32_t exists[kAxes][2][kStrip];
  int32_t present[1 << kAxes][kStrip];  // the tap exists along every axis; of find_present()

  // Grid points hold the innermost coordinate first; extents begin with the outermost axis.
  template <typename T>
  void fill(const SampleRule& rule, const T* grid, int64_t count, const int64_t* extents) {
    taps = rule.nearest ? 1 : 1 << kAxes;
    W coordinates[kStrip];
    for (int axis = 0; axis < kAxes; ++axis) {
      for (int64_t p = 0; p < count; ++p) {
        coordinates[p] = static_cast<W>(grid[p * kAxes + kAxes - 1 - axis]);
      }
      find_next(rule, coordinates, count, extents[axis], axis);
    }
    for (int t = 0; t < taps; ++t) {
      combine(t, 0, count, extents);
      for (int axis = 1; axis < kAxes; ++axis) combine(t, axis, count, extents);
    }
  }

  // What is no number has no neighbours, but a weight that is none either.
  __attribute__((target("avx2"), noinline)) void find_next(const SampleRule& rule,
                                                           const W* coordinates, int64_t count,
                                                           int64_t extent, int axis) {
    const auto n = static_cast<int32_t>(extent);
    const W none = std::numeric_limits<W>::quiet_NaN(), most = std::numeric_limits<W>::max();
    W x[kStrip], low[kStrip], part[kStrip];
    rule.positions(coordinates, count, static_cast<W>(extent), x);
    W *before = along[axis][0], *behind = along[axis][1];
    for (int64_t p = 0; p < count; ++p) {
      before[p] = std::abs(x[p]) <= most ? W(0) : none;
      x[p] = std::abs(x[p]) < W(1e9) ? x[p] : W(-2);  // far outside, as -2 is
    }
    if (rule.nearest) {
      for (int64_t p = 0; p < count; ++p) low[p] = std::nearbyint(x[p]);
      std::fill_n(part, count, W(0));
      std::fill_n(before, count, W(0));
    } else {
      for (int64_t p = 0; p < count; ++p) low[p] = std::floor(x[p]);
      for (int64_t p = 0; p < count; ++p) part[p] = x[p] - low[p];
    }
    const W size = static_cast<W>(extent);
    for (int64_t p = 0; p < count; ++p) {  // in W, whose comparisons choose among values of W
      const W first = (low[p] < 0 ? W(0) : 1 - part[p]), second = low[p] < -1 ? W(0) : part[p];
      before[p] += low[p] < size ? first : W(0);
      behind[p] = low[p] < size - 1 ? second : W(0);
    }
    int32_t(&at)[2][kStrip] = next[axis], (&is)[2][kStrip] = exists[axis];
    for (int64_t p = 0; p < count; ++p) {
      const int32_t i = static_cast<int32_t>(low[p]), j = i + 1;
      is[0][p] = static_cast<int32_t>(i >= 0) & static_cast<int32_t>(i < n);
      is[1][p] = static_cast<int32_t>(j >= 0) & static_cast<int32_t>(j < n);
      at[0][p] = std::min(std::max(i, 0), n - 1);
      at[1][p] = std::min(std::max(j, 0), n - 1);
    }
  }

  // Joins an axis to place and weight of tap t, which hold the axes before it.
  __attribute__((target("avx2"), noinline)) void combine(int t, int axis, int64_t count,
                                                         const int64_t* extents) {
    const int side = (t >> axis) & 1;
    const auto n = static_cast<int32_t>(extents[axis]);
    const int32_t* place = next[axis][side];
    const W* factor = along[axis][side];
    for (int64_t p = 0; p < count; ++p) {
      offset[t][p] = axis == 0 ? place[p] : offset[t][p] * n + place[p];
      weight[t][p] = axis == 0 ? factor[p] : weight[t][p] * factor[p];
    }
  }

  void find_present(int64_t count) {
    for (int t = 0; t < taps; ++t) {
      for (int64_t p = 0; p < count; ++p) {
        present[t][p] = exists[0][t & 1][p];
        for (int a = 1; a < kAxes; ++a) present[t][p] &= exists[a][(t >> a) & 1][p];
      }
    }
  }

  // The derivative of the weight of tap t by the position along `axis`.
  W change_of(int t, int axis, int64_t p) const {
    const int side = (t >> axis) & 1;
    W change = side ? W(1) : W(-1);
    for (int a = 0; a < kAxes; ++a) {
      if (a != axis) change *= along[a][(t >> a) & 1][p];
    }
    return change;
  }

  template <typename T>
  void read(const T* from, int64_t count, T* to) const {
    if constexpr (std::is_same_v<T, float>) {
      gather_weighted(from, offset[0], weight[0], taps, kStrip, count, to);
    } else {
      for (int64_t p = 0; p < count; ++p) {
        W sum = 0;
        for (int t = 0; t < taps; ++t) sum += weight[t][p] * static_cast<W>(from[offset[t][p]]);
        to[p] = T(sum);
      }
    }
  }
};

template <int kAxes>
struct Images {
  int64_t batch, channels, extents[kAxes], plane = 1, points = 1, strips;

  Images(const Shape& x, const Shape& grid) : batch(x[0].value()), channels(x[1].value()) {
    for (size_t a = 0; a < kAxes; ++a) {
      extents[a] = x[a + 2].value();
      plane *= extents[a];
      points *= grid[a + 1].value();
    }
    strips = (points + kStrip - 1) / kStrip;
    PADDLE_CHECK_VALUE(plane <= INT32_MAX, "grid_sample: x has shape ", x,
                       "; a channel can have at most 2^31 - 1 elements; split x.");
  }
};

// body(first point, count) for the strips of an image, whose grid is read into `strip`.
template <typename T, int kAxes, typename Body>
void each_strip(const Images<kAxes>& m, const SampleRule& rule, const T* grid, int64_t begin,
                int64_t end, Strip<T, kAxes>& strip, Body&& body) {
  for (int64_t u = begin; u < end; ++u) {
    const int64_t first = u * kStrip, count = std::min(kStrip, m.points - first);
    strip.fill(rule, grid + first * kAxes, count, m.extents);
    body(first, count);
  }
}

template <typename T, int kAxes>
void sample(const KernelContext& c, const SampleRule& rule) {
  const Images<kAxes> m(c.in(0).shape, c.in(1).shape);
  const T *data = c.in_data<T>(0), *grid = c.in_data<T>(1);
  T* out = c.out_data<T>(0);
  parallel_for(0, m.batch * m.strips, 1, [&](int64_t begin, int64_t end) {
    Strip<T, kAxes> strip;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t n = u / m.strips, at = u % m.strips;
      each_strip<T>(m, rule, grid + n * m.points * kAxes, at, at + 1, strip,
                    [&](int64_t first, int64_t count) {
                      for (int64_t i = n * m.channels; i < (n + 1) * m.channels; ++i) {
                        strip.read(data + i * m.plane, count, out + i * m.points + first);
                      }
                    });
    }
  });
}

// Every element of x collects the gradients that were read from it: a few channels at a time. What
// taps outside of the image give goes into an element behind those of the channel.
template <typename T, int kAxes>
void image_grad(const Images<kAxes>& m, const SampleRule& rule, const T* grid, const T* g, T* dx) {
  constexpr int64_t kChannels = 16;
  const int64_t groups = (m.channels + kChannels - 1) / kChannels;
  parallel_for(0, m.batch * groups, 1, [&](int64_t begin, int64_t end) {
    Strip<T, kAxes> strip;
    std::vector<T> sums;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t n = u / groups, from = n * m.channels + u % groups * kChannels,
                    to = std::min((n + 1) * m.channels, from + kChannels), width = m.plane + 1;
      sums.assign(static_cast<size_t>((to - from) * width), T(0));
      each_strip<T>(m, rule, grid + n * m.points * kAxes, 0, m.strips, strip,
                    [&](int64_t first, int64_t count) {
                      strip.find_present(count);
                      for (int t = 0; t < strip.taps; ++t) {
                        for (int64_t p = 0; p < count; ++p) {
                          if (!strip.present[t][p])
                            strip.offset[t][p] = static_cast<int32_t>(m.plane);
                        }
                      }
                      for (int64_t i = from; i < to; ++i) {
                        const T* row = g + i * m.points + first;
                        T* sum = sums.data() + (i - from) * width;
                        for (int64_t p = 0; p < count; ++p) {
                          const T v = row[p];
                          for (int t = 0; t < strip.taps; ++t) {
                            sum[strip.offset[t][p]] += v * strip.weight[t][p];
                          }
                        }
                      }
                    });
      for (int64_t i = from; i < to; ++i) {
        std::copy_n(sums.data() + (i - from) * width, m.plane, dx + i * m.plane);
      }
    }
  });
}

// A coordinate that grows moves weight from the element before it to the one behind it.
template <typename T, int kAxes>
void grid_grad(const Images<kAxes>& m, const SampleRule& rule, const T* x, const T* grid,
               const T* g, T* out) {
  constexpr int kTaps = 1 << kAxes;
  parallel_for(0, m.batch * m.strips, 1, [&](int64_t begin, int64_t end) {
    Strip<T, kAxes> strip;
    T seen[kTaps][kStrip];  // sums over channels of gradient times element
    for (int64_t u = begin; u < end; ++u) {
      const int64_t n = u / m.strips, at = u % m.strips;
      const T* own = grid + n * m.points * kAxes;
      each_strip<T>(m, rule, own, at, at + 1, strip, [&](int64_t first, int64_t count) {
        strip.find_present(count);
        for (auto& row : seen) std::fill_n(row, count, T(0));
        for (int64_t i = n * m.channels; i < (n + 1) * m.channels; ++i) {
          const T *row = g + i * m.points + first, *image = x + i * m.plane;
          for (int t = 0; t < kTaps; ++t) {
            for (int64_t p = 0; p < count; ++p) {
              seen[t][p] += row[p] * image[strip.offset[t][p]];
            }
          }
        }
        for (int64_t p = 0; p < count; ++p) {
          const int64_t point = first + p;
          for (int axis = 0; axis < kAxes; ++axis) {
            const int64_t place = point * kAxes + kAxes - 1 - axis;
            T sum = 0;
            for (int t = 0; t < kTaps; ++t) {
              if (strip.present[t][p]) sum += seen[t][p] * strip.change_of(t, axis, p);
            }
            const T slope = rule.slope(own[place], m.extents[axis]);
            out[n * m.points * kAxes + place] = T(sum * slope);
          }
        }
      });
    }
  });
}

template <typename T, int kAxes>
void sample_grad(KernelContext& c, const SampleRule& rule) {
  const Images<kAxes> m(c.in(0).shape, c.in(1).shape);
  const T *x = c.in_data<T>(0), *grid = c.in_data<T>(1), *g = c.in_data<T>(2);
  if (c.wants(0)) image_grad<T, kAxes>(m, rule, grid, g, c.out_data<T>(0));
  if (!c.wants(1)) return;
  T* out = c.out_data<T>(1);
  if (rule.nearest) {
    std::fill_n(out, c.out(1).numel, T(0.0f));
  } else {
    grid_grad<T, kAxes>(m, rule, x, grid, g, out);
  }
}

SampleRule rule_of(KernelContext& c, int mode) {
  return {c.text(mode) == "nearest", c.b(mode + 2),
          c.text(mode + 1) == "zeros"    ? Border::kZeros
          : c.text(mode + 1) == "border" ? Border::kClamp
                                         : Border::kReflect};
}

// arguments: x, grid, mode, padding_mode, align_corners
template <typename T>
void grid_sample_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const SampleRule rule = rule_of(c, 2);
  return c.in(0).shape.size() == 4 ? sample<T, 2>(c, rule) : sample<T, 3>(c, rule);
}

// arguments: x, grid, out_grad, mode, padding_mode, align_corners
template <typename T>
void grid_sample_grad_kernel(KernelContext& c) {
  const SampleRule rule = rule_of(c, 3);
  return c.in(0).shape.size() == 4 ? sample_grad<T, 2>(c, rule) : sample_grad<T, 3>(c, rule);
}

}  // namespace

void register_grid_sample_cpu(Registry& r) {
  add_floats<grid_sample_kernel<float>, grid_sample_kernel<double>>(r, "grid_sample");
  add_floats<grid_sample_grad_kernel<float>, grid_sample_grad_kernel<double>>(r,
                                                                              "grid_sample_grad");
}

}  // namespace paddle::cpu

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
#include "phi_kernels/cpu/sample_strip.h"

namespace paddle::cpu {
namespace {

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

enum class Border { kZeros, kClamp, kReflect };

struct SampleRule {
  bool nearest, align_corners;
  Border border;

  // A grid coordinate as a position among n elements.
  template <typename W>
  W position(W g, int64_t n) const {
    const W size = static_cast<W>(n);
    W x = align_corners ? (g + 1) * ((size - 1) / 2) : ((g + 1) * size - 1) * W(0.5);
    if (border == Border::kReflect) {
      const W span = align_corners ? size - 1 : size, shift = align_corners ? W(0) : W(0.5);
      const W distance = std::abs(x + shift);
      const W rest = distance - std::floor(distance / (2 * span)) * (2 * span);
      x = span == 0 ? x * 0 : std::min(rest, 2 * span - rest) - shift;
    }
    if (border != Border::kZeros && !std::isnan(x)) x = std::clamp(x, W(0), size - 1);
    return x;
  }
};

// The two elements next to a position and their weights, 0 outside; not-a-number stays one.
template <typename W>
struct Neighbours {
  int64_t at[2];
  W weight[2];

  Neighbours(W x, int64_t n, bool nearest) : at{0, 0}, weight{0, 0} {
    if (!std::isfinite(x) && !nearest) weight[0] = std::numeric_limits<W>::quiet_NaN();
    if (!(std::abs(x) < W(1e9))) return;
    const W low = nearest ? std::nearbyint(x) : std::floor(x);
    const W part = nearest ? W(0) : x - low;
    const int64_t i = static_cast<int64_t>(low);
    for (int64_t k = 0; k < 2; ++k) {
      at[k] = std::clamp<int64_t>(i + k, 0, n - 1);
      if (i + k >= 0 && i + k < n) weight[k] = k == 0 ? 1 - part : part;
    }
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

  // Grid points hold the innermost coordinate first; extents begin with the outermost axis.
  template <typename T>
  void fill(const SampleRule& rule, const T* grid, int64_t count, const int64_t* extents) {
    taps = rule.nearest ? 1 : 1 << kAxes;
    for (int64_t p = 0; p < count; ++p) {
      int64_t at[1 << kAxes] = {};
      W product[1 << kAxes];
      std::fill_n(product, taps, W(1));
      for (int axis = 0; axis < kAxes; ++axis) {
        const W g = static_cast<W>(grid[p * kAxes + kAxes - 1 - axis]);
        const Neighbours<W> next(rule.position(g, extents[axis]), extents[axis], rule.nearest);
        for (int t = 0; t < taps; ++t) {
          const int side = (t >> axis) & 1;
          at[t] = at[t] * extents[axis] + next.at[side];
          product[t] *= next.weight[side];
        }
      }
      for (int t = 0; t < taps; ++t) {
        offset[t][p] = static_cast<int32_t>(at[t]);
        weight[t][p] = product[t];
      }
    }
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

template <typename T, int kAxes>
void sample(const KernelContext& c, const SampleRule& rule) {
  const Shape& x = c.in(0).shape;
  const int64_t channels = x[1].value();
  int64_t extents[kAxes], plane = 1, points = 1;
  for (int a = 0; a < kAxes; ++a) {
    extents[a] = x[static_cast<size_t>(a) + 2].value();
    plane *= extents[a];
    points *= c.out(0).shape[static_cast<size_t>(a) + 2].value();
  }
  PADDLE_CHECK_VALUE(plane <= INT32_MAX, "grid_sample: x has shape ", x,
                     "; a channel can have at most 2^31 - 1 elements; split x.");
  const T *data = c.in_data<T>(0), *grid = c.in_data<T>(1);
  T* out = c.out_data<T>(0);
  const int64_t strips = (points + kStrip - 1) / kStrip;
  parallel_for(0, x[0].value() * strips, 1, [&](int64_t begin, int64_t end) {
    Strip<Wide<T>, kAxes> strip;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t n = u / strips, first = u % strips * kStrip;
      const int64_t count = std::min(kStrip, points - first);
      strip.fill(rule, grid + (n * points + first) * kAxes, count, extents);
      for (int64_t channel = n * channels; channel < (n + 1) * channels; ++channel) {
        strip.read(data + channel * plane, count, out + channel * points + first);
      }
    }
  });
}

// arguments: x, grid, mode, padding_mode, align_corners
template <typename T>
void grid_sample_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const SampleRule rule{c.text(2) == "nearest", c.b(4),
                        c.text(3) == "zeros"    ? Border::kZeros
                        : c.text(3) == "border" ? Border::kClamp
                                                : Border::kReflect};
  return c.in(0).shape.size() == 4 ? sample<T, 2>(c, rule) : sample<T, 3>(c, rule);
}

}  // namespace

void register_grid_sample_cpu(Registry& r) {
  r.kernel("grid_sample", DeviceKind::kCpu, {DType::kFloat32}, grid_sample_kernel<float>);
  r.kernel("grid_sample", DeviceKind::kCpu, {DType::kFloat64}, grid_sample_kernel<double>);
  r.kernel("grid_sample", DeviceKind::kCpu, {DType::kFloat16}, grid_sample_kernel<float16>);
  r.kernel("grid_sample", DeviceKind::kCpu, {DType::kBFloat16}, grid_sample_kernel<bfloat16>);
}

}  // namespace paddle::cpu

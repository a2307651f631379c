// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Resampling along axes: interpolation and padding of images are linear maps that act on every
// spatial axis on its own. `AxisMap` is such a map of one axis as a sparse matrix; its transpose is
// the map of the gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "paddle_core/op/op_def.h"
#include "phi_kernels/rules/window.h"

namespace paddle {

// Output element o is the sum of weight[k] * input[index[k]] over begin[o] <= k < begin[o + 1].
struct AxisMap {
  int64_t in = 1, out = 1;
  std::vector<int64_t> begin{0};
  std::vector<int64_t> index;
  std::vector<double> weight;

  static AxisMap identity(int64_t n) {
    AxisMap m{n, n, {0}, {}, {}};
    for (int64_t o = 0; o < n; ++o) m.add(o, 1).close();
    return m;
  }
  AxisMap& add(int64_t i, double w) {
    index.push_back(i);
    weight.push_back(w);
    return *this;
  }
  void close() { begin.push_back(static_cast<int64_t>(index.size())); }

  // Every output element is one input element.
  bool is_selection() const {
    if (static_cast<int64_t>(index.size()) != out) return false;
    for (size_t o = 0; o < index.size(); ++o) {
      if (begin[o] != static_cast<int64_t>(o) || weight[o] != 1) return false;
    }
    return true;
  }

  AxisMap transposed() const {
    AxisMap t{out, in, {}, {}, {}};
    t.begin.assign(static_cast<size_t>(in) + 1, 0);
    for (const int64_t i : index) ++t.begin[static_cast<size_t>(i) + 1];
    for (size_t i = 0; i < static_cast<size_t>(in); ++i) t.begin[i + 1] += t.begin[i];
    t.index.resize(index.size());
    t.weight.resize(index.size());
    std::vector<int64_t> next(t.begin.begin(), t.begin.end() - 1);
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t k = begin[static_cast<size_t>(o)]; k < begin[static_cast<size_t>(o) + 1]; ++k) {
        const auto at =
            static_cast<size_t>(next[static_cast<size_t>(index[static_cast<size_t>(k)])]++);
        t.index[at] = o;
        t.weight[at] = weight[static_cast<size_t>(k)];
      }
    }
    return t;
  }
};

struct InterpRule {
  enum class Kernel { kNearest, kLinear, kCubic };
  Kernel kernel = Kernel::kNearest;
  bool align_corners = true;
  int64_t align_mode = 1;
  // A single output element takes the start of the axis, not its middle: images do, as in
  // PaddlePaddle; sequences and volumes do not.
  bool single_at_start = false;
};

namespace detail {

// Cubic convolution (Keys, 1981) with a = -0.75.
template <typename Real>
Real cubic_weight(Real distance) {
  const Real a = Real(-0.75), d = std::abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

}  // namespace detail

// Interpolation from `in` to `out` elements; scale > 0 replaces out / in as the ratio of sampling.
// Positions are computed in Real, because their rounding decides what nearest takes.
template <typename Real>
AxisMap interp_map(const InterpRule& rule, int64_t in, int64_t out, double scale) {
  AxisMap m{in, out, {0}, {}, {}};
  Real ratio = 0;
  if (rule.align_corners) {
    ratio = out > 1 ? static_cast<Real>(in - 1) / static_cast<Real>(out - 1) : Real(0);
  } else if (out > 1 || !rule.single_at_start) {
    ratio =
        scale > 0 ? static_cast<Real>(1 / scale) : static_cast<Real>(in) / static_cast<Real>(out);
  }
  const bool half_pixels =
      !rule.align_corners && (rule.kernel == InterpRule::Kernel::kCubic || rule.align_mode == 0);
  const auto inside = [&](int64_t i) { return std::clamp<int64_t>(i, 0, in - 1); };
  for (int64_t o = 0; o < out; ++o) {
    if (rule.kernel == InterpRule::Kernel::kNearest) {
      const Real at = ratio * static_cast<Real>(o) + (rule.align_corners ? Real(0.5) : Real(0));
      m.add(inside(static_cast<int64_t>(at)), 1).close();
      continue;
    }
    Real at = half_pixels ? ratio * (static_cast<Real>(o) + Real(0.5)) - Real(0.5)
                          : ratio * static_cast<Real>(o);
    if (rule.kernel == InterpRule::Kernel::kLinear) {
      at = std::max(at, Real(0));
      const int64_t low = inside(static_cast<int64_t>(at));
      const Real part = at - static_cast<Real>(low);
      m.add(low, 1 - part).add(inside(low + 1), part).close();
      continue;
    }
    const Real base = std::floor(at), part = at - base;
    for (int64_t tap = -1; tap <= 2; ++tap) {
      m.add(inside(static_cast<int64_t>(base) + tap),
            detail::cubic_weight(part - static_cast<Real>(tap)));
    }
    m.close();
  }
  return m;
}

// Interpolation whose kernel is widened by the ratio of shrinking, so that every input element
// takes part; weights are normalised.
inline AxisMap antialias_map(const InterpRule& rule, int64_t in, int64_t out, double scale) {
  AxisMap m{in, out, {0}, {}, {}};
  const bool cubic = rule.kernel == InterpRule::Kernel::kCubic;
  double ratio = scale > 0 ? 1 / scale : static_cast<double>(in) / static_cast<double>(out);
  if (rule.align_corners) {
    ratio = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  }
  const double wide = std::max(ratio, 1.0), support = (cubic ? 2 : 1) * wide;
  const auto filter = [&](double x) {
    x = std::abs(x);
    if (!cubic) return x < 1 ? 1 - x : 0.0;
    const double a = -0.5;
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
  };
  for (int64_t o = 0; o < out; ++o) {
    const double centre = ratio * (static_cast<double>(o) + 0.5);
    const int64_t first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const int64_t last = std::min<int64_t>(static_cast<int64_t>(centre + support + 0.5), in);
    double total = 0;
    for (int64_t i = first; i < last; ++i) {
      total += filter((static_cast<double>(i) + 0.5 - centre) / wide);
    }
    for (int64_t i = first; i < last; ++i) {
      m.add(i, filter((static_cast<double>(i) + 0.5 - centre) / wide) / total);
    }
    m.close();
  }
  return m;
}

// Padding by elements of the axis itself: "reflect", "replicate" or "circular". Negative numbers
// crop. The caller has checked that a reflected axis is longer than its padding.
inline AxisMap border_map(std::string_view mode, int64_t in, int64_t before, int64_t after) {
  AxisMap m{in, std::max<int64_t>(in + before + after, 0), {0}, {}, {}};
  for (int64_t o = 0; o < m.out; ++o) {
    int64_t i = o - before;
    if (mode == "replicate") {
      i = std::clamp<int64_t>(i, 0, in - 1);
    } else if (mode == "circular") {
      i = (i % in + in) % in;
    } else {
      i = i < 0 ? -i : i;
      i = i >= in ? 2 * (in - 1) - i : i;
    }
    m.add(i, 1).close();
  }
  return m;
}

// The arguments of the interpolations in one form.
struct InterpAttributes {
  InterpRule rule;
  bool antialias = false;
  Shape sizes;                 // out_size and size_tensor, as far as given
  std::vector<double> scales;  // attribute scale; one value may stand for all axes
  Shape constant_sizes;        // out_d, out_h, out_w
  std::string_view format = "NCHW";

  bool channels_last() const { return is_channels_last(format); }
  double scale(size_t axis) const {
    if (scales.empty()) return 0;
    return scales.size() == 1 ? scales[0] : scales[axis];
  }
  AxisMap map(int64_t in, int64_t out, size_t axis, bool wide) const {
    if (antialias) return antialias_map(rule, in, out, scale(axis));
    return wide ? interp_map<double>(rule, in, out, scale(axis))
                : interp_map<float>(rule, in, out, scale(axis));
  }
};

// Works on Infer, Args and KernelContext.
template <typename Call>
InterpAttributes interp_attributes(const Call& c) {
  const Schema& schema = c.op().schema();
  InterpAttributes out;
  const std::string_view op = c.op().name();
  std::string_view method = op.starts_with("bicubic")   ? "bicubic"
                            : op.starts_with("nearest") ? "nearest"
                                                        : "linear";
  for (int k = 0; k < static_cast<int>(schema.args.size()); ++k) {
    const std::string& name = schema.args[static_cast<size_t>(k)].name;
    const Slot& s = c.slot(k);
    if (name == "out_size" || name == "size_tensor") {
      if (s.kind == SlotKind::kInts && s.count > 0) out.sizes = Shape(s.dims, s.dims + s.count);
      if constexpr (std::is_same_v<Call, Infer>) {
        if (s.kind == SlotKind::kTensor) out.sizes = c.ints(k);  // symbols: known when it runs
      }
    } else if (name == "scale" && s.kind == SlotKind::kFloats) {
      out.scales.assign(s.floats, s.floats + s.count);
    } else if (name == "out_d" || name == "out_h" || name == "out_w") {
      out.constant_sizes.push_back(Dim(c.i(k)));
    } else if (name == "data_format") {
      out.format = c.text(k);
    } else if (name == "align_corners") {
      out.rule.align_corners = c.b(k);
    } else if (name == "align_mode") {
      out.rule.align_mode = c.i(k);
    } else if (name == "interp_method" && op.starts_with("interp")) {
      method = c.text(k);
    } else if (name == "antialias") {
      out.antialias = c.b(k);
    }
  }
  out.antialias |= op == "interp_antialias";
  out.rule.kernel = method == "bicubic"   ? InterpRule::Kernel::kCubic
                    : method == "nearest" ? InterpRule::Kernel::kNearest
                                          : InterpRule::Kernel::kLinear;
  return out;
}

}  // namespace paddle

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The attributes of the pools in one form, and the windows that follow from them.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "paddle_core/op/op_def.h"
#include "phi_kernels/rules/window.h"

namespace paddle {

struct PoolAttributes {
  Shape kernel, strides, paddings;  // adaptive: kernel is the output size
  bool ceil_mode = false, exclusive = true, global = false, adaptive = false;
  std::string_view format = "NCHW", type = "max", algorithm = "EXPLICIT";

  bool channels_last() const { return is_channels_last(format); }
};

// Works on Infer, Args and KernelContext: everything that has op(), slot(k), b(k) and text(k).
template <typename Call>
PoolAttributes pool_attributes(const Call& c) {
  const Schema& schema = c.op().schema();
  PoolAttributes out;
  for (int k = 0; k < static_cast<int>(schema.args.size()); ++k) {
    const std::string& name = schema.args[static_cast<size_t>(k)].name;
    if (name == "kernel_size") {
      out.kernel = constant_ints(c, k);
    } else if (name == "strides") {
      out.strides = constant_ints(c, k);
    } else if (name == "paddings") {
      out.paddings = constant_ints(c, k);
    } else if (name == "ceil_mode") {
      out.ceil_mode = c.b(k);
    } else if (name == "exclusive") {
      out.exclusive = c.b(k);
    } else if (name == "global_pooling") {
      out.global = c.b(k);
    } else if (name == "adaptive") {
      out.adaptive = c.b(k);
    } else if (name == "data_format") {
      out.format = c.text(k);
    } else if (name == "pooling_type") {
      out.type = c.text(k);
    } else if (name == "padding_algorithm") {
      out.algorithm = c.text(k);
    }
  }
  return out;
}

// The windows of one axis: window o covers the elements [begin[o], end[o]) of the input; `full[o]`
// counts the padding that it covers too.
struct AxisWindows {
  std::vector<int64_t> begin, end, full;
  void add(int64_t b, int64_t e, int64_t count) {
    begin.push_back(b);
    end.push_back(e);
    full.push_back(count);
  }
};

inline AxisWindows adaptive_windows(int64_t in, int64_t out) {
  AxisWindows w;
  for (int64_t o = 0; o < out; ++o) {
    const int64_t begin = o * in / out, end = ceil_div((o + 1) * in, out);
    w.add(begin, end, end - begin);
  }
  return w;
}

inline AxisWindows sliding_windows(const PoolAttributes& a, size_t axis, size_t axes, int64_t in,
                                   int64_t out) {
  AxisWindows w;
  if (a.global) {
    w.add(0, in, in);
    return w;
  }
  const int64_t kernel = a.kernel[axis].value(), stride = a.strides[axis].value();
  const Padding pad = resolve_padding(a.algorithm, {a.paddings.data(), a.paddings.size()}, axis,
                                      axes, in, kernel, stride);
  for (int64_t o = 0; o < out; ++o) {
    const int64_t start = o * stride - pad.before;
    const int64_t begin = std::clamp<int64_t>(start, 0, in);
    const int64_t end = std::clamp<int64_t>(start + kernel, begin, in);
    w.add(begin, end, std::min(start + kernel, in + pad.after) - start);
  }
  return w;
}

inline AxisWindows pool_windows(const PoolAttributes& a, size_t axis, size_t axes, int64_t in,
                                int64_t out) {
  return a.adaptive ? adaptive_windows(in, out) : sliding_windows(a, axis, axes, in, out);
}

// Fractional windows (Graham, arXiv 1412.6071) from one random number u in (0, 1): window o begins
// at floor((o + u) alpha) - floor(u alpha). With kernel 0 windows are disjoint, each ends where the
// next one begins, and u is scaled so that the first and the last one are as long as the others.
inline AxisWindows fractional_windows(int64_t in, int64_t out, int64_t kernel, double u) {
  AxisWindows w;
  const double n = static_cast<double>(in), m = static_cast<double>(out);
  double alpha = n / m;
  if (kernel > 0) {
    alpha = out > 1 ? (n - static_cast<double>(kernel)) / (m - 1) : 0.0;
  } else {
    const double shortest = std::floor(alpha);
    u *= std::min((shortest + 2) / alpha - 1, (n + 1 - shortest) / alpha - (m - 1));
  }
  const auto start = [&](int64_t o) {
    return static_cast<int64_t>((static_cast<double>(o) + u) * alpha) -
           static_cast<int64_t>(u * alpha);
  };
  for (int64_t o = 0; o < out; ++o) {
    const int64_t begin = std::clamp<int64_t>(start(o), 0, in - 1);
    const int64_t next = kernel > 0 ? begin + kernel : o + 1 == out ? in : start(o + 1);
    const int64_t end = std::clamp<int64_t>(next, begin + 1, in);
    w.add(begin, end, end - begin);
  }
  return w;
}

}  // namespace paddle

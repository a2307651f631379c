// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of interpolation and border padding: a sparse matrix along every spatial axis, applied
// row by row. The gradients apply the transposed matrices.
#include <cstring>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/rows/row_sums.h"
#include "phi_kernels/cpu/rows/rows.h"
#include "phi_kernels/functors/computing_types.h"
#include "phi_kernels/rules/resample.h"

namespace paddle::cpu {
namespace {

// A map with 32-bit positions and weights in the type of the sums.
template <typename W>
struct Taps {
  int64_t in, out, each;  // each: taps of every output element, 0 where they differ
  std::vector<int64_t> begin;
  std::vector<int32_t> index;
  std::vector<W> weight;

  explicit Taps(const AxisMap& m) : in(m.in), out(m.out), begin(m.begin) {
    index.assign(m.index.begin(), m.index.end());
    weight.assign(m.weight.begin(), m.weight.end());
    each = out > 0 ? begin[1] - begin[0] : 1;
    for (size_t o = 0; o < static_cast<size_t>(out); ++o) {
      if (begin[o + 1] - begin[o] != each) each = 0;
    }
  }
};

// [batch, channels, spatial...] in either order with three maps, the leading ones of extent 1.
struct Resample {
  int64_t planes = 1, channels = 1;  // channels: innermost extent (1 with channels in front)
  std::vector<AxisMap> maps;
  int64_t rows() const { return maps[0].out * maps[1].out; }
  int64_t in_plane() const { return maps[0].in * maps[1].in * maps[2].in; }
};

template <typename MapOf>
Resample resample_of(const Shape& x, bool channels_last, MapOf&& map_of) {
  Resample r;
  const size_t axes = x.size() - 2;
  const int64_t channels = x[channel_axis(channels_last, x.size())].value();
  r.planes = x[0].value() * (channels_last ? 1 : channels);
  r.channels = channels_last ? channels : 1;
  for (size_t k = axes; k < 3; ++k) r.maps.push_back(AxisMap::identity(1));
  for (size_t k = 0; k < axes; ++k) r.maps.push_back(map_of(k, spatial_axis(channels_last, k)));
  return r;
}

int64_t row_grain(int64_t work) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work)); }

// Elements are only copied: any type of the size of U.
template <typename U>
void select(const Resample& r, const U* x, U* out) {
  const Taps<float> a(r.maps[0]), b(r.maps[1]), w(r.maps[2]);
  const int64_t c = r.channels, row = w.out * c;
  // The longest run of neighbours that stay neighbours: all but the borders of a padded row.
  int64_t first = 0, length = 0;
  for (int64_t o = 0, run = 0; o < w.out; ++o) {
    const auto at = static_cast<size_t>(o);
    run = o > 0 && w.index[at] == w.index[at - 1] + 1 ? run + 1 : 1;
    if (run > length) length = run, first = o + 1 - run;
  }
  if (length < 8) first = length = 0;
  parallel_for(0, r.planes * r.rows(), row_grain(row), [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t plane = u / r.rows(), o0 = u % r.rows() / b.out, o1 = u % b.out;
      const U* from = x + ((plane * a.in + a.index[static_cast<size_t>(o0)]) * b.in +
                           b.index[static_cast<size_t>(o1)]) *
                              w.in * c;
      U* to = out + u * row;
      const int32_t* at = w.index.data();
      if (c == 1) {
        for (int64_t o = 0; o < first; ++o) to[o] = from[at[o]];
        if (length)
          std::memcpy(to + first, from + at[first], static_cast<size_t>(length) * sizeof(U));
        for (int64_t o = first + length; o < w.out; ++o) to[o] = from[at[o]];
      } else {
        for (int64_t o = 0; o < w.out; ++o) {
          std::memcpy(to + o * c, from + at[o] * c, static_cast<size_t>(c) * sizeof(U));
        }
      }
    }
  });
}

template <int kTaps, typename S, typename W, typename T>
void fixed_taps(const Taps<W>& w, const S* row, T* out) {
  const int32_t* index = w.index.data();
  const W* weight = w.weight.data();
  for (int64_t o = 0; o < w.out; ++o) {
    W sum = 0;
    for (int k = 0; k < kTaps; ++k) {
      sum += weight[o * kTaps + k] * static_cast<W>(row[index[o * kTaps + k]]);
    }
    out[o] = T(sum);
  }
}

template <typename S, typename W, typename T>
void along_row(const Taps<W>& w, const S* row, T* out) {
  if (w.each == 1) return fixed_taps<1>(w, row, out);
  if (w.each == 2) return fixed_taps<2>(w, row, out);
  if (w.each == 4) return fixed_taps<4>(w, row, out);
  for (int64_t o = 0; o < w.out; ++o) {
    W sum = 0;
    for (int64_t k = w.begin[static_cast<size_t>(o)]; k < w.begin[static_cast<size_t>(o) + 1];
         ++k) {
      sum +=
          w.weight[static_cast<size_t>(k)] * static_cast<W>(row[w.index[static_cast<size_t>(k)]]);
    }
    out[o] = T(sum);
  }
}

// fn(offset of the row, weight) for every tap of output row (o0, o1).
template <typename W, typename Fn>
void each_row(const Taps<W>& a, const Taps<W>& b, int64_t o0, int64_t o1, Fn&& fn) {
  for (auto i = static_cast<size_t>(a.begin[static_cast<size_t>(o0)]);
       i < static_cast<size_t>(a.begin[static_cast<size_t>(o0) + 1]); ++i) {
    for (auto j = static_cast<size_t>(b.begin[static_cast<size_t>(o1)]);
         j < static_cast<size_t>(b.begin[static_cast<size_t>(o1) + 1]); ++j) {
      fn(int64_t{a.index[i]} * b.in + b.index[j], a.weight[i] * b.weight[j]);
    }
  }
}

template <typename T, typename W>
void add_row(W* __restrict sum, const T* __restrict row, W weight, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] += weight * static_cast<W>(row[i]);
}
template <typename T, typename W>
void set_row(W* __restrict sum, const T* __restrict row, W weight, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] = weight * static_cast<W>(row[i]);
}

// Channels in front: rows of the plane are combined first, then elements within the sum.
template <typename T>
void combine_planes(const Resample& r, const T* x, T* out) {
  const Taps<T> a(r.maps[0]), b(r.maps[1]), w(r.maps[2]);
  parallel_for(0, r.planes * r.rows(), row_grain(2 * w.in + 2 * w.out),
               [&](int64_t begin, int64_t end) {
                 std::vector<T> sum(static_cast<size_t>(w.in));
                 for (int64_t u = begin; u < end; ++u) {
                   const int64_t plane = u / r.rows(), o0 = u % r.rows() / b.out, o1 = u % b.out;
                   const T* from = x + plane * r.in_plane();
                   bool first = true;
                   each_row(a, b, o0, o1, [&](int64_t row, T weight) {
                     if (first) {
                       set_row(sum.data(), from + row * w.in, weight, w.in);
                     } else {
                       add_row(sum.data(), from + row * w.in, weight, w.in);
                     }
                     first = false;
                   });
                   if (first) std::fill(sum.begin(), sum.end(), T(0));
                   along_row(w, sum.data(), out + u * w.out);
                 }
               });
}

// Channels last: an output element is a weighted sum of vectors of channels.
template <typename T>
void combine_channels(const Resample& r, const T* x, T* out) {
  const Taps<T> a(r.maps[0]), b(r.maps[1]), w(r.maps[2]);
  const int64_t c = r.channels;
  parallel_for(0, r.planes * r.rows(), row_grain(4 * w.out * c), [&](int64_t begin, int64_t end) {
    std::vector<int64_t> offset;
    std::vector<T> weight;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t plane = u / r.rows(), o0 = u % r.rows() / b.out, o1 = u % b.out;
      const T* from = x + plane * r.in_plane() * c;
      for (int64_t o = 0; o < w.out; ++o) {
        offset.clear(), weight.clear();
        each_row(a, b, o0, o1, [&](int64_t row, T factor) {
          for (auto k = static_cast<size_t>(w.begin[static_cast<size_t>(o)]);
               k < static_cast<size_t>(w.begin[static_cast<size_t>(o) + 1]); ++k) {
            offset.push_back((row * w.in + w.index[k]) * c);
            weight.push_back(factor * w.weight[k]);
          }
        });
        T* to = out + (u * w.out + o) * c;
        const auto count = static_cast<int64_t>(offset.size());
        sum_rows(from, offset.data(), weight.data(), count, c, false, to);
      }
    }
  });
}

// A few channels at the end count as elements of their row, each with taps of its own.
Resample channels_in_rows(const Resample& r) {
  Resample flat = r;
  const AxisMap& w = r.maps[2];
  AxisMap& m = flat.maps[2];
  flat.channels = 1;
  m.in = w.in * r.channels, m.out = w.out * r.channels;
  m.begin.assign(1, 0), m.index.clear(), m.weight.clear();
  for (size_t o = 0; o < static_cast<size_t>(w.out); ++o) {
    for (int64_t c = 0; c < r.channels; ++c) {
      for (auto k = static_cast<size_t>(w.begin[o]); k < static_cast<size_t>(w.begin[o + 1]); ++k) {
        m.index.push_back(w.index[k] * r.channels + c);
        m.weight.push_back(w.weight[k]);
      }
      m.begin.push_back(static_cast<int64_t>(m.index.size()));
    }
  }
  return flat;
}

template <typename T>
void combine(const Resample& r, const T* x, T* out) {
  constexpr int64_t kFewChannels = 8;  // that make no vectors
  if (r.channels == 1) return combine_planes(r, x, out);
  if (r.channels < kFewChannels) return combine_planes(channels_in_rows(r), x, out);
  return combine_channels(r, x, out);
}

bool is_selection(const Resample& r) {
  for (const AxisMap& m : r.maps) {
    if (!m.is_selection()) return false;
  }
  return true;
}

void select_bytes(const Resample& r, const TensorImpl& x, TensorImpl& out) {
  const auto run = [&](auto unit) {
    using U = decltype(unit);
    select(r, static_cast<const U*>(x.data()), static_cast<U*>(out.data()));
  };
  struct Pair {
    uint64_t part[2];
  };
  switch (size_of(x.dtype)) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    case 8:
      return run(uint64_t{});
    default:
      return run(Pair{});
  }
}

void apply(const Resample& r, const TensorImpl& x, TensorImpl& out) {
  if (out.numel == 0) return;
  if (is_selection(r)) return select_bytes(r, x, out);
  const auto run = [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    combine(r, static_cast<const T*>(x.data()), static_cast<T*>(out.data()));
  };
  if (x.dtype == DType::kFloat64) return run(static_cast<double*>(nullptr));
  return run(static_cast<float*>(nullptr));
}

// -- kernels --------------------------------------------------------------------------------------

void interp_kernel(KernelContext& c) {
  if (c.out(0).numel == 0)
    return;  // maps are as long as the axes, which may be long in an empty tensor
  InterpAttributes a = interp_attributes(c);
  a.rule.single_at_start = c.in(0).shape.size() == 4;
  const Shape &x = c.in(0).shape, &out = c.out(0).shape;
  const bool wide = c.in(0).dtype == DType::kFloat64;
  const Resample r = resample_of(x, a.channels_last(), [&](size_t k, size_t axis) {
    return a.map(x[axis].value(), out[axis].value(), k, wide);
  });
  apply(r, c.in(0), c.out(0));
}

// arguments: x (its shape), out_grad, ...
void interp_grad_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  InterpAttributes a = interp_attributes(c);
  a.rule.single_at_start = c.in(0).shape.size() == 4;
  const Shape &x = c.in(0).shape, &g = c.in(1).shape;
  const bool wide = c.in(1).dtype == DType::kFloat64;
  const Resample r = resample_of(x, a.channels_last(), [&](size_t k, size_t axis) {
    return a.map(x[axis].value(), g[axis].value(), k, wide).transposed();
  });
  apply(r, c.in(1), c.out(0));
}

// Offsets into a tensor of `shape` along `axis` for every element of an axis of `out` elements: of
// the only element there is, or by `map`.
std::vector<int64_t> offsets_along(const Shape& shape, size_t axis, int64_t out,
                                   const AxisMap* map) {
  int64_t step = 1;
  for (size_t k = axis + 1; k < shape.size(); ++k) step *= shape[k].value();
  std::vector<int64_t> offsets(static_cast<size_t>(out), 0);
  const int64_t extent = map ? map->out : shape[axis].value();
  for (int64_t o = 0; o < out && extent > 1; ++o) {
    const auto at = static_cast<size_t>(o);
    offsets[at] = step * (map ? map->index[at] : o);
  }
  return offsets;
}

// arguments: x, y, scale, data_format
void add_nearest_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const Shape &x = c.in(0).shape, &y = c.in(1).shape, &out = c.out(0).shape;
  const bool last = is_channels_last(c.text(3));
  std::vector<int64_t> of_x[4], of_y[4];
  for (size_t axis = 0; axis < 4; ++axis) {
    const int64_t n = out[axis].value(), in = y[axis].value();
    of_x[axis] = offsets_along(x, axis, n, nullptr);
    AxisMap finer;
    for (size_t k = 0; k < 2; ++k) {
      if (axis != spatial_axis(last, k)) continue;
      const float scale = static_cast<float>(c.slot(2).floats[k]);
      const auto size = static_cast<int64_t>(static_cast<float>(in) * scale);
      finer = interp_map<float>({InterpRule::Kernel::kNearest, false, 1, true}, in, size, scale);
    }
    of_y[axis] = offsets_along(y, axis, n, finer.index.empty() ? nullptr : &finer);
  }
  const int64_t rows = out[1].value(), columns = out[2].value(), run = out[3].value();
  const bool dense = last && x[3] == out[3] && y[3] == out[3];
  const auto *a = c.in_data<float>(0), *b = c.in_data<float>(1);
  float* to = c.out_data<float>(0);
  parallel_for(0, out[0].value() * rows, row_grain(columns * run), [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const auto n = static_cast<size_t>(u / rows), r = static_cast<size_t>(u % rows);
      const float *in_x = a + of_x[0][n] + of_x[1][r], *in_y = b + of_y[0][n] + of_y[1][r];
      for (size_t o = 0; o < static_cast<size_t>(columns); ++o) {
        const float *p = in_x + of_x[2][o], *q = in_y + of_y[2][o];
        float* sum = to + (u * columns + static_cast<int64_t>(o)) * run;
        if (dense) {
          for (int64_t i = 0; i < run; ++i) sum[i] = p[i] + q[i];
          continue;
        }
        for (size_t i = 0; i < static_cast<size_t>(run); ++i) {
          sum[i] = p[of_x[3][i]] + q[of_y[3][i]];
        }
      }
    }
  });
}

Resample border_of(const Shape& x, std::span<const Dim> paddings, std::string_view mode,
                   std::string_view format, bool transpose) {
  const size_t axes = x.size() - 2;
  return resample_of(x, is_channels_last(format), [&](size_t k, size_t axis) {
    const size_t at = 2 * (axes - 1 - k);
    const AxisMap m =
        border_map(mode, x[axis].value(), paddings[at].value(), paddings[at + 1].value());
    return transpose ? m.transposed() : m;
  });
}

// arguments: x, paddings, mode, data_format
void border_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  apply(border_of(c.in(0).shape, c.ints(1), c.text(2), c.text(3), false), c.in(0), c.out(0));
}

// arguments: x (its shape), out_grad, paddings, mode, data_format
void border_grad_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  apply(border_of(c.in(0).shape, c.ints(2), c.text(3), c.text(4), true), c.in(1), c.out(0));
}

}  // namespace

void register_resample_cpu(Registry& r) {
  for (const char* op : {"linear_interp", "bilinear_interp", "trilinear_interp", "bicubic_interp",
                         "interp_antialias"}) {
    add_floats<interp_kernel, interp_kernel>(r, op);
  }
  // Elements that are only moved.
  const auto all = {DType::kBool,    DType::kUInt8,    DType::kInt8,      DType::kInt16,
                    DType::kInt32,   DType::kInt64,    DType::kComplex64, DType::kComplex128,
                    DType::kFloat16, DType::kBFloat16, DType::kFloat32,   DType::kFloat64};
  r.kernel("nearest_interp", DeviceKind::kCpu, all, interp_kernel);
  r.kernel("border_pad", DeviceKind::kCpu, all, border_kernel);
  r.kernel("add_nearest", DeviceKind::kCpu, {DType::kFloat32}, add_nearest_kernel);
  add_floats<interp_grad_kernel, interp_grad_kernel>(r, "interp_grad");
  add_floats<border_grad_kernel, border_grad_kernel>(r, "border_pad_grad");
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the pools of regions. The linear ones first list, for every bin of every box, the
// elements that it sums and their weights; the pool and its transpose then walk the list.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

// Boxes as doubles and the image of each.
struct Regions {
  std::vector<double> box;  // x1, y1, x2, y2
  std::vector<int64_t> image;
  int64_t count() const { return static_cast<int64_t>(image.size()); }
};

template <typename T>
Regions regions_of(const KernelContext& c, int k, double scale) {
  Regions r;
  const char* op = c.op().name();
  const TensorImpl& boxes = c.in(1);
  const int64_t total = boxes.shape[0].value();
  for (int64_t i = 0; i < boxes.numel; ++i) {
    const double v = static_cast<double>(c.in_data<T>(1)[i]);
    PADDLE_CHECK_VALUE(std::abs(v) < 1e7, op, ": boxes holds ", v,
                       "; coordinates must be finite and below 1e7.");
    PADDLE_CHECK_VALUE(std::abs(v * scale) < 1e9, op, ": spatial_scale is ", scale,
                       " and boxes holds ", v, "; their product must be finite and below 1e9.");
    r.box.push_back(v);
  }
  if (!c.has(k)) {
    r.image.assign(static_cast<size_t>(total), 0);
    return r;
  }
  const Tensor given = c.in_tensor(k), counts = Tensor::empty(given.shape(), DType::kInt64);
  counts.copy_data_from(given);
  for (int64_t n = 0; n < counts.numel(); ++n) {
    const int64_t m = counts.data<int64_t>()[n];
    PADDLE_CHECK_VALUE(m >= 0 && m <= total - r.count(), op, ": boxes_num holds ", m,
                       " and boxes has shape ", boxes.shape,
                       "; boxes_num must not be negative and must add up to the number of boxes.");
    r.image.insert(r.image.end(), static_cast<size_t>(m), n);
  }
  PADDLE_CHECK_VALUE(r.count() == total, op, ": boxes_num adds up to ", r.count(),
                     " and boxes has shape ", boxes.shape, "; the numbers must be equal.");
  return r;
}

// The elements of a plane that each bin of each region sums.
struct BinSums {
  std::vector<int64_t> begin{0};
  std::vector<int64_t> position;
  std::vector<double> weight;
  void add(int64_t p, double w) {
    position.push_back(p);
    weight.push_back(w);
  }
  void close() { begin.push_back(static_cast<int64_t>(position.size())); }
};

struct Plane {
  int64_t h, w;
};

void add_sample(BinSums& sums, Plane p, double y, double x, double weight) {
  if (y < -1 || y > static_cast<double>(p.h) || x < -1 || x > static_cast<double>(p.w)) return;
  const auto split = [](double v, int64_t n, int64_t& low, int64_t& high) {
    v = std::max(v, 0.0);
    low = static_cast<int64_t>(v);
    if (low >= n - 1) {
      low = high = n - 1;
      return 0.0;
    }
    high = low + 1;
    return v - static_cast<double>(low);
  };
  int64_t y0, y1, x0, x1;
  const double fy = split(y, p.h, y0, y1), fx = split(x, p.w, x0, x1);
  sums.add(y0 * p.w + x0, weight * (1 - fy) * (1 - fx));
  sums.add(y0 * p.w + x1, weight * (1 - fy) * fx);
  sums.add(y1 * p.w + x0, weight * fy * (1 - fx));
  sums.add(y1 * p.w + x1, weight * fy * fx);
}

struct AlignRule {
  int64_t rows, columns;
  double scale;
  int64_t sampling;
  bool aligned;
};

int64_t samples(int64_t sampling, double extent, int64_t bins) {
  const int64_t n =
      sampling > 0 ? sampling : static_cast<int64_t>(std::ceil(extent / static_cast<double>(bins)));
  PADDLE_CHECK_VALUE(n <= 4096, "roi_align: a bin has ", n,
                     " samples along an axis; at most 4096 are possible; use smaller boxes or a "
                     "larger output.");
  return n;
}

BinSums align_sums(const Regions& r, Plane plane, const AlignRule& a) {
  BinSums sums;
  const double offset = a.aligned ? 0.5 : 0;
  for (int64_t i = 0; i < r.count(); ++i) {
    const double* box = r.box.data() + 4 * i;
    const double left = box[0] * a.scale - offset, top = box[1] * a.scale - offset;
    double width = box[2] * a.scale - offset - left, height = box[3] * a.scale - offset - top;
    if (!a.aligned) {
      width = std::max(width, 1.0);
      height = std::max(height, 1.0);
    }
    const double bin_w = width / static_cast<double>(a.columns);
    const double bin_h = height / static_cast<double>(a.rows);
    const int64_t nx = samples(a.sampling, width, a.columns);
    const int64_t ny = samples(a.sampling, height, a.rows);
    const double weight = 1.0 / static_cast<double>(std::max<int64_t>(
                                    std::max<int64_t>(nx, 0) * std::max<int64_t>(ny, 0), 1));
    for (int64_t row = 0; row < a.rows; ++row) {
      for (int64_t column = 0; column < a.columns; ++column) {
        for (int64_t iy = 0; iy < ny; ++iy) {
          const double y =
              top + bin_h * (static_cast<double>(row) +
                             (static_cast<double>(iy) + 0.5) / static_cast<double>(ny));
          for (int64_t ix = 0; ix < nx; ++ix) {
            const double x =
                left + bin_w * (static_cast<double>(column) +
                                (static_cast<double>(ix) + 0.5) / static_cast<double>(nx));
            add_sample(sums, plane, y, x, weight);
          }
        }
        sums.close();
      }
    }
  }
  return sums;
}

// [from, to) of bin k of an axis, inside the plane.
struct Range {
  int64_t from, to;
};
Range bin_range(double start, double bin, int64_t k, int64_t n) {
  const auto inside = [n](double v) {
    return static_cast<int64_t>(std::clamp(v, 0.0, static_cast<double>(n)));
  };
  return {inside(std::floor(static_cast<double>(k) * bin + start)),
          inside(std::ceil(static_cast<double>(k + 1) * bin + start))};
}

BinSums psroi_sums(const Regions& r, Plane plane, int64_t rows, int64_t columns, double scale) {
  BinSums sums;
  for (int64_t i = 0; i < r.count(); ++i) {
    const double* box = r.box.data() + 4 * i;
    const double left = std::round(box[0]) * scale, top = std::round(box[1]) * scale;
    const double width = std::max((std::round(box[2]) + 1) * scale - left, 0.1);
    const double height = std::max((std::round(box[3]) + 1) * scale - top, 0.1);
    for (int64_t row = 0; row < rows; ++row) {
      const Range y = bin_range(top, height / static_cast<double>(rows), row, plane.h);
      for (int64_t column = 0; column < columns; ++column) {
        const Range x = bin_range(left, width / static_cast<double>(columns), column, plane.w);
        const double area = static_cast<double>((y.to - y.from) * (x.to - x.from));
        for (int64_t a = y.from; a < y.to; ++a) {
          for (int64_t b = x.from; b < x.to; ++b) sums.add(a * plane.w + b, 1 / area);
        }
        sums.close();
      }
    }
  }
  return sums;
}

// Channels of x and of the output; with per_bin the channel of x depends on the bin.
struct Channels {
  int64_t in, out, bins;
  bool per_bin;
  int64_t of(int64_t c, int64_t bin) const { return per_bin ? c * bins + bin : c; }
};

template <typename T>
void pool_sums(const Regions& r, const BinSums& sums, Channels ch, int64_t area, const T* x,
               T* out) {
  parallel_for(0, r.count() * ch.out, 16, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t i = u / ch.out, c = u % ch.out;
      for (int64_t bin = 0; bin < ch.bins; ++bin) {
        const T* plane = x + (r.image[static_cast<size_t>(i)] * ch.in + ch.of(c, bin)) * area;
        const auto at = static_cast<size_t>(i * ch.bins + bin);
        T sum = 0;
        for (auto k = static_cast<size_t>(sums.begin[at]);
             k < static_cast<size_t>(sums.begin[at + 1]); ++k) {
          sum += static_cast<T>(sums.weight[k]) * plane[sums.position[k]];
        }
        out[u * ch.bins + bin] = sum;
      }
    }
  });
}

template <typename T>
void spread_sums(const Regions& r, const BinSums& sums, Channels ch, int64_t images, int64_t area,
                 const T* g, T* dx) {
  std::fill_n(dx, images * ch.in * area, T(0));
  parallel_for(0, ch.out, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t i = 0; i < r.count(); ++i) {
        for (int64_t bin = 0; bin < ch.bins; ++bin) {
          T* plane = dx + (r.image[static_cast<size_t>(i)] * ch.in + ch.of(c, bin)) * area;
          const T value = g[(i * ch.out + c) * ch.bins + bin];
          const auto at = static_cast<size_t>(i * ch.bins + bin);
          for (auto k = static_cast<size_t>(sums.begin[at]);
               k < static_cast<size_t>(sums.begin[at + 1]); ++k) {
            plane[sums.position[k]] += static_cast<T>(sums.weight[k]) * value;
          }
        }
      }
    }
  });
}

Plane plane_of(const Shape& x) { return {x[2].value(), x[3].value()}; }

// arguments: x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale, sampling_ratio,
// aligned
template <typename T>
void align_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const Shape& x = c.in(0).shape;
  const Regions r = regions_of<T>(c, 2, c.f(5));
  const BinSums sums = align_sums(r, plane_of(x), {c.i(3), c.i(4), c.f(5), c.i(6), c.b(7)});
  const int64_t channels = x[1].value();
  pool_sums(r, sums, {channels, channels, c.i(3) * c.i(4), false}, x[2].value() * x[3].value(),
            c.in_data<T>(0), c.out_data<T>(0));
}

// arguments: x (its shape), boxes, out_grad, boxes_num, then those of roi_align
template <typename T>
void align_grad_kernel(KernelContext& c) {
  const Shape& x = c.out(0).shape;
  if (c.out(0).numel == 0) return;
  const Regions r = regions_of<T>(c, 3, c.f(6));
  const BinSums sums = align_sums(r, plane_of(x), {c.i(4), c.i(5), c.f(6), c.i(7), c.b(8)});
  const int64_t channels = x[1].value();
  spread_sums(r, sums, {channels, channels, c.i(4) * c.i(5), false}, x[0].value(),
              x[2].value() * x[3].value(), c.in_data<T>(2), c.out_data<T>(0));
}

// arguments: x, boxes, boxes_num, pooled_height, pooled_width, output_channels, spatial_scale
template <typename T>
void psroi_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const Shape& x = c.in(0).shape;
  const Regions r = regions_of<T>(c, 2, c.f(6));
  const BinSums sums = psroi_sums(r, plane_of(x), c.i(3), c.i(4), c.f(6));
  pool_sums(r, sums, {x[1].value(), c.i(5), c.i(3) * c.i(4), true}, x[2].value() * x[3].value(),
            c.in_data<T>(0), c.out_data<T>(0));
}

template <typename T>
void psroi_grad_kernel(KernelContext& c) {
  const Shape& x = c.out(0).shape;
  if (c.out(0).numel == 0) return;
  const Regions r = regions_of<T>(c, 3, c.f(7));
  const BinSums sums = psroi_sums(r, plane_of(x), c.i(4), c.i(5), c.f(7));
  spread_sums(r, sums, {x[1].value(), c.i(6), c.i(4) * c.i(5), true}, x[0].value(),
              x[2].value() * x[3].value(), c.in_data<T>(2), c.out_data<T>(0));
}

// The bins of a region along one axis.
std::vector<Range> pool_ranges(double first, double last, int64_t bins, int64_t n) {
  const double start = std::round(first), size = std::max(std::round(last) - start + 1, 1.0);
  std::vector<Range> ranges;
  for (int64_t k = 0; k < bins; ++k) {
    ranges.push_back(bin_range(start, size / static_cast<double>(bins), k, n));
  }
  return ranges;
}

// arguments: x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale
template <typename T>
void pool_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const Shape& shape = c.in(0).shape;
  const Plane plane = plane_of(shape);
  const Regions r = regions_of<T>(c, 2, c.f(5));
  const int64_t channels = shape[1].value(), rows = c.i(3), columns = c.i(4);
  const double scale = c.f(5);
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  int64_t* arg = c.out_data<int64_t>(1);
  parallel_for(0, r.count() * channels, 16, [&](int64_t begin, int64_t end) {
    std::vector<Range> ys, xs;  // of the bins of region `held`
    for (int64_t u = begin, held = -1; u < end; ++u) {
      const int64_t i = u / channels;
      if (i != held) {
        const double* box = r.box.data() + 4 * i;
        ys = pool_ranges(box[1] * scale, box[3] * scale, rows, plane.h);
        xs = pool_ranges(box[0] * scale, box[2] * scale, columns, plane.w);
        held = i;
      }
      const int64_t image = r.image[static_cast<size_t>(i)];
      const int64_t base = (image * channels + u % channels) * plane.h * plane.w;
      int64_t bin = u * rows * columns;
      for (const Range& y : ys) {
        for (const Range& across : xs) {
          int64_t best = -1;
          T most = T(0);
          for (int64_t row = base + y.from * plane.w; row < base + y.to * plane.w; row += plane.w) {
            for (int64_t at = row + across.from; at < row + across.to; ++at) {
              if (best < 0 || x[at] > most) best = at, most = x[at];
            }
          }
          out[bin] = most;
          arg[bin++] = best;
        }
      }
    }
  });
}

}  // namespace

void register_roi_cpu(Registry& r) {
#define PADDLE_ADD(op, kernel) add_floats<kernel<float>, kernel<double>>(r, op)
  PADDLE_ADD("roi_align", align_kernel);
  PADDLE_ADD("roi_align_grad", align_grad_kernel);
  PADDLE_ADD("psroi_pool", psroi_kernel);
  PADDLE_ADD("psroi_pool_grad", psroi_grad_kernel);
  PADDLE_ADD("roi_pool", pool_kernel);
#undef PADDLE_ADD
}

}  // namespace paddle::cpu

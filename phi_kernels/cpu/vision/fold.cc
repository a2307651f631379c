// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of unfold and fold on the CPU: rows of windows copied out of and summed into planes.
#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

// Attributes from position k on: kernel_sizes, strides, paddings, dilations.
struct Windows {
  int64_t h, w, kh, kw, sh, sw, top, left, dh, dw, out_h, out_w;

  Windows(const KernelContext& c, int k, int64_t height, int64_t width) : h(height), w(width) {
    const auto at = [&](int arg, size_t i) { return c.ints(arg)[i].value(); };
    kh = at(k, 0), kw = at(k, 1), sh = at(k + 1, 0), sw = at(k + 1, 1);
    top = at(k + 2, 0), left = at(k + 2, 1), dh = at(k + 3, 0), dw = at(k + 3, 1);
    out_h = (h + top + at(k + 2, 2) - dh * (kh - 1) - 1) / sh + 1;
    out_w = (w + left + at(k + 2, 3) - dw * (kw - 1) - 1) / sw + 1;
  }
  int64_t count() const { return out_h * out_w; }

  // fn(y, first window, end, x of the first window) for every row of windows of element (i, j)
  // that lies inside the image; windows outside [first, end) see padding.
  template <typename Fn>
  void each_row(int64_t i, int64_t j, Fn&& fn) const {
    const int64_t shift = j * dw - left;
    const int64_t first = std::min(shift < 0 ? (-shift + sw - 1) / sw : 0, out_w);
    const int64_t inside = w - 1 - shift;
    const int64_t end = std::max(first, std::min(inside < 0 ? 0 : inside / sw + 1, out_w));
    for (int64_t o = 0; o < out_h; ++o) {
      const int64_t y = o * sh - top + i * dh;
      fn(o, y >= 0 && y < h ? y : int64_t{-1}, first, end, first * sw + shift);
    }
  }
};

int64_t grain(int64_t work) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work)); }

// arguments: x, kernel_sizes, strides, paddings, dilations
template <typename T>
void unfold_kernel(KernelContext& c) {
  const Shape& shape = c.in(0).shape;
  if (c.out(0).numel == 0) return;
  const Windows win(c, 1, shape[2].value(), shape[3].value());
  const int64_t planes = shape[0].value() * shape[1].value(), elements = win.kh * win.kw;
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  parallel_for(0, planes * elements, grain(win.count()), [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t e = u % elements;
      const T* plane = x + u / elements * win.h * win.w;
      T* column = out + u * win.count();
      win.each_row(e / win.kw, e % win.kw,
                   [&](int64_t o, int64_t y, int64_t first, int64_t last, int64_t at) {
                     T* row = column + o * win.out_w;
                     if (y < 0) first = last = win.out_w;
                     std::fill(row, row + first, T(0));
                     const T* from = plane + y * win.w + at;
                     for (int64_t k = first; k < last; ++k) row[k] = from[(k - first) * win.sw];
                     std::fill(row + last, row + win.out_w, T(0));
                   });
    }
  });
}

// arguments: x, output_sizes, kernel_sizes, strides, paddings, dilations
template <typename T>
void fold_kernel(KernelContext& c) {
  using W = ArithmeticType<T>;
  const Shape& shape = c.out(0).shape;
  if (c.out(0).numel == 0) return;
  const Windows win(c, 2, shape[2].value(), shape[3].value());
  const int64_t planes = shape[0].value() * shape[1].value(), area = win.h * win.w;
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const int64_t work = win.kh * win.kw * win.count();
  parallel_for(0, planes, grain(work), [&](int64_t begin, int64_t end) {
    std::vector<W> sum(static_cast<size_t>(area));
    for (int64_t p = begin; p < end; ++p) {
      std::fill(sum.begin(), sum.end(), W(0));
      for (int64_t e = 0; e < win.kh * win.kw; ++e) {
        const T* column = x + (p * win.kh * win.kw + e) * win.count();
        win.each_row(e / win.kw, e % win.kw,
                     [&](int64_t o, int64_t y, int64_t first, int64_t last, int64_t at) {
                       if (y < 0) return;
                       W* to = sum.data() + y * win.w + at;
                       const T* row = column + o * win.out_w;
                       for (int64_t k = first; k < last; ++k) {
                         to[(k - first) * win.sw] += static_cast<W>(row[k]);
                       }
                     });
      }
      for (int64_t i = 0; i < area; ++i) out[p * area + i] = T(sum[static_cast<size_t>(i)]);
    }
  });
}

template <typename T>
void add_kernels(Registry& r, DType dtype) {
  r.kernel("unfold", DeviceKind::kCpu, {dtype}, unfold_kernel<T>);
  r.kernel("fold", DeviceKind::kCpu, {dtype}, fold_kernel<T>);
}

}  // namespace

void register_fold_cpu(Registry& r) {
  add_kernels<float>(r, DType::kFloat32);
  add_kernels<double>(r, DType::kFloat64);
  add_kernels<float16>(r, DType::kFloat16);
  add_kernels<bfloat16>(r, DType::kBFloat16);
  add_kernels<int32_t>(r, DType::kInt32);
  add_kernels<int64_t>(r, DType::kInt64);
  add_kernels<std::complex<float>>(r, DType::kComplex64);
  add_kernels<std::complex<double>>(r, DType::kComplex128);
}

}  // namespace paddle::cpu

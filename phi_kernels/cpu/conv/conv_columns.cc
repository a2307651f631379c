// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution as matrix products: the windows of a strip of output positions are unfolded into
// columns [channels * kernel, positions], so that the memory for them stays bounded. Results do
// not depend on the number of threads.
#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/gemm/gemm.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kColumnBytes = 4 << 20;

template <typename T>
class Columns {
 public:
  Columns(const ConvProblem& p)
      : p_(p),
        channels_(p.in_channels / p.groups),
        kernel_(p.kernel[0] * p.kernel[1] * p.kernel[2]),
        rows_(channels_ * kernel_),
        positions_(p.out[0] * p.out[1] * p.out[2]),
        plane_(p.in[0] * p.in[1] * p.in[2]) {
    const int64_t fitting =
        kColumnBytes / static_cast<int64_t>(sizeof(T)) / std::max<int64_t>(1, rows_);
    strip_ = std::clamp<int64_t>(fitting, 64, std::max<int64_t>(64, positions_));
    data_.resize(static_cast<size_t>(rows_ * std::min(strip_, positions_)));
  }

  int64_t rows() const { return rows_; }
  int64_t positions() const { return positions_; }
  int64_t plane() const { return plane_; }
  int64_t strip() const { return strip_; }
  T* data() { return data_.data(); }

  // Columns of positions [begin, end) of one group of one image.
  void unfold(const T* image, int64_t begin, int64_t end) {
    const int64_t width = end - begin;
    parallel_for(0, rows_, std::max<int64_t>(1, 16384 / width), [&](int64_t r0, int64_t r1) {
      for (int64_t r = r0; r < r1; ++r) {
        const T* channel = image + r / kernel_ * plane_;
        T* to = data_.data() + r * width;
        each_run(r % kernel_, begin, end, [&](int64_t i, int64_t at, int64_t count) {
          if (at < 0) {
            std::fill(to + i, to + i + count, T(0));
          } else if (p_.stride[2] == 1) {
            std::copy(channel + at, channel + at + count, to + i);
          } else {
            for (int64_t j = 0; j < count; ++j) to[i + j] = channel[at + j * p_.stride[2]];
          }
        });
      }
    });
  }

  // The reverse: adds the columns onto the image. Channels are independent.
  void fold(T* image, int64_t begin, int64_t end) {
    const int64_t width = end - begin;
    parallel_for(0, channels_, std::max<int64_t>(1, 16384 / (width * kernel_)),
                 [&](int64_t c0, int64_t c1) {
                   for (int64_t r = c0 * kernel_; r < c1 * kernel_; ++r) {
                     T* channel = image + r / kernel_ * plane_;
                     const T* from = data_.data() + r * width;
                     each_run(r % kernel_, begin, end, [&](int64_t i, int64_t at, int64_t count) {
                       if (at < 0) return;
                       for (int64_t j = 0; j < count; ++j) {
                         channel[at + j * p_.stride[2]] += from[i + j];
                       }
                     });
                   }
                 });
  }

 private:
  // fn(first position - begin, index within the plane that kernel element k meets there, positions)
  // for runs of positions along the last axis, which meet indices `stride` apart; index -1 for
  // those that meet padding.
  template <typename Fn>
  void each_run(int64_t k, int64_t begin, int64_t end, Fn&& fn) const {
    const int64_t k2 = k % p_.kernel[2], k1 = k / p_.kernel[2] % p_.kernel[1],
                  k0 = k / p_.kernel[2] / p_.kernel[1];
    // Positions [low, high) of the last axis meet elements of the image.
    const int64_t stride = p_.stride[2], ahead = p_.before[2] - k2 * p_.dilation[2];
    const auto first_from =
        [&](int64_t i) {  // the first position that meets index i or a later one
          return std::clamp<int64_t>(i + ahead > 0 ? (i + ahead + stride - 1) / stride : 0, 0,
                                     p_.out[2]);
        };
    const int64_t low = first_from(0), high = std::max(low, first_from(p_.in[2]));
    for (int64_t position = begin; position < end;) {
      const int64_t o2 = position % p_.out[2], o1 = position / p_.out[2] % p_.out[1],
                    o0 = position / p_.out[2] / p_.out[1];
      const int64_t stop = std::min(p_.out[2], o2 + end - position), at = position - begin - o2;
      const int64_t i0 = met(0, o0, k0), i1 = met(1, o1, k1);
      position += stop - o2;
      if (i0 < 0 || i1 < 0) {
        fn(at + o2, -1, stop - o2);
        continue;
      }
      const int64_t from = std::clamp(low, o2, stop), to = std::clamp(high, from, stop);
      if (from > o2) fn(at + o2, -1, from - o2);
      if (to > from) {
        fn(at + from, (i0 * p_.in[1] + i1) * p_.in[2] + from * stride - ahead, to - from);
      }
      if (stop > to) fn(at + to, -1, stop - to);
    }
  }
  int64_t met(size_t axis, int64_t o, int64_t k) const {
    const int64_t i = o * p_.stride[axis] - p_.before[axis] + k * p_.dilation[axis];
    return i < p_.in[axis] ? i : -1;
  }

  const ConvProblem& p_;
  int64_t channels_, kernel_, rows_, positions_, plane_, strip_ = 1;
  std::vector<T> data_;
};

template <typename T>
void run(ConvPass pass, const ConvProblem& p, T* src, T* filter, T* dst) {
  Columns<T> columns(p);
  const int64_t filters = p.out_channels / p.groups, channels = p.in_channels / p.groups;
  const int64_t positions = columns.positions(), rows = columns.rows();
  if (pass == ConvPass::kInputGrad) {
    std::fill(src, src + p.batch * p.in_channels * columns.plane(), T(0));
  }
  if (pass == ConvPass::kFilterGrad) std::fill(filter, filter + p.out_channels * rows, T(0));
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t g = 0; g < p.groups; ++g) {
      T* image = src + (n * p.in_channels + g * channels) * columns.plane();
      T* weights = filter + g * filters * rows;
      T* result = dst + (n * p.out_channels + g * filters) * positions;
      for (int64_t begin = 0; begin < positions; begin += columns.strip()) {
        const int64_t end = std::min(positions, begin + columns.strip()), width = end - begin;
        GemmShape s;
        switch (pass) {
          case ConvPass::kForward:
            columns.unfold(image, begin, end);
            s = {false, false, filters, width, rows, rows, width, positions};
            gemm(s, weights, columns.data(), result + begin);
            break;
          case ConvPass::kInputGrad:
            s = {true, false, rows, width, filters, rows, positions, width};
            gemm(s, weights, result + begin, columns.data());
            columns.fold(image, begin, end);
            break;
          case ConvPass::kFilterGrad:
            columns.unfold(image, begin, end);
            s = {false, true, filters, rows, width, positions, width, rows};
            gemm(s, result + begin, columns.data(), weights, /*accumulate=*/true);
            break;
        }
      }
    }
  }
}

}  // namespace

void convolve_columns(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  if (t.src.dtype() == DType::kFloat64) {
    run(pass, p, t.src.data<double>(), t.filter.data<double>(), t.dst.data<double>());
  } else {
    run(pass, p, t.src.data<float>(), t.filter.data<float>(), t.dst.data<float>());
  }
}

}  // namespace paddle::cpu

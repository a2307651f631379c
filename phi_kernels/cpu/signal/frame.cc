// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Frames of signals and their sums.
#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

// `outer` signals of n samples of `inner` elements. Time last: inner is 1, sample i of frame f
// stands at i * frames + f; time first: outer is 1, it stands at (f * length + i) * inner.
struct Layout {
  int64_t outer = 1, n = 0, inner = 1, length = 0, frames = 0, hop = 0;
  bool first = false;
  int64_t at(int64_t i, int64_t f) const {
    return first ? (f * length + i) * inner : i * frames + f;
  }
};

Layout layout_of(const TensorImpl& signal, const TensorImpl& framed, int64_t hop, bool first) {
  Layout l;
  l.first = first;
  l.hop = hop;
  const size_t rank = framed.shape.size();
  l.frames = framed.shape[first ? 0 : rank - 1].value();
  l.length = framed.shape[first ? 1 : rank - 2].value();
  l.n = (first ? signal.shape.front() : signal.shape.back()).value();
  const int64_t others = l.n ? signal.numel / l.n : 0;
  (first ? l.inner : l.outer) = others;
  return l;
}

template <typename T>
void frame_kernel(KernelContext& c) {
  const Layout l = layout_of(c.in(0), c.out(0), c.i(2), c.i(3) == 0);
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const int64_t size = l.length * l.frames * l.inner;
  parallel_for(0, l.outer * l.length,
               std::max<int64_t>(1, 16384 / std::max<int64_t>(1, l.frames * l.inner)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   const int64_t o = k / l.length, i = k % l.length;
                   const T* from = x + o * l.n + i * l.inner;
                   T* to = out + o * size;
                   if (l.inner == 1 && !l.first) {
                     T* row = to + i * l.frames;
                     for (int64_t f = 0; f < l.frames; ++f) row[f] = from[f * l.hop];
                     continue;
                   }
                   for (int64_t f = 0; f < l.frames; ++f) {
                     std::copy_n(from + f * l.hop * l.inner, l.inner, to + l.at(i, f));
                   }
                 }
               });
}

// Time last. `whole`: frames [.., frames, length] seen with the last axes exchanged, so that a
// frame lies together; otherwise sample i of all frames does, and goes to every hop-th place.
template <typename T>
void overlap_signals(const Layout& l, bool whole, const T* x, T* out) {
  parallel_for(0, l.outer, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      T* signal = out + o * l.n;
      const T* row = x + o * l.length * l.frames;
      std::fill(signal, signal + l.n, T());
      const int64_t rows = whole ? l.frames : l.length, count = whole ? l.length : l.frames;
      const int64_t row_step = whole ? l.hop : 1, step = whole ? 1 : l.hop;
      for (int64_t i = 0; i < rows; ++i, row += count) {
        T* to = signal + i * row_step;
        for (int64_t j = 0; j < count; ++j) to[j * step] = static_cast<T>(to[j * step] + row[j]);
      }
    }
  });
}

// Contiguous memory whose last two axes are exchanged.
bool lies_by_frames(const Tensor& x) {
  const size_t rank = x.shape().size();
  Shape memory = x.shape();
  std::swap(memory[rank - 1], memory[rank - 2]);
  Strides strides = contiguous_strides(memory);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return strides == x.strides();
}

template <typename T>
void overlap_add_kernel(KernelContext& c) {
  const Layout l = layout_of(c.out(0), c.in(0), c.i(1), c.i(2) == 0);
  Tensor frames = c.in_tensor(0);
  T* out = c.out_data<T>(0);
  const bool whole = !l.first && !frames.is_contiguous() && lies_by_frames(frames);
  if (!whole) frames = frames.contiguous_copy_if_needed();
  const T* x = frames.data<T>();
  if (!l.first) return overlap_signals(l, whole, x, out);
  const int64_t size = l.length * l.frames * l.inner;
  parallel_for(0, l.outer * l.n, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, l.inner)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   const int64_t o = k / l.n, t = k % l.n;
                   T* to = out + k * l.inner;
                   std::fill(to, to + l.inner, T());
                   // Frames f with 0 <= t - f * hop < length.
                   const int64_t low = t < l.length ? 0 : (t - l.length) / l.hop + 1;
                   const int64_t high = std::min(l.frames - 1, t / l.hop);
                   for (int64_t f = low; f <= high; ++f) {
                     const T* from = x + o * size + l.at(t - f * l.hop, f);
                     for (int64_t j = 0; j < l.inner; ++j) to[j] = static_cast<T>(to[j] + from[j]);
                   }
                 }
               });
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("frame", DeviceKind::kCpu, {DTypeOf<T>::value}, frame_kernel<T>);
  r.kernel("overlap_add", DeviceKind::kCpu, {DTypeOf<T>::value}, overlap_add_kernel<T>,
           /*strided=*/true);
}

}  // namespace

void register_frame_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
  add_both<int32_t>(r);
  add_both<int64_t>(r);
  add_both<std::complex<float>>(r);
  add_both<std::complex<double>>(r);
}

}  // namespace paddle::cpu

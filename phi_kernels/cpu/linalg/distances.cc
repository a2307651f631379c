// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Distances of rows, and the sums of their gradients. The rows of y are read as columns, so that a
// vector holds the distances of several of them.
#include <immintrin.h>

#include <algorithm>
#include <memory>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrainWork = 1 << 16;
constexpr int64_t kDepth = 64;  // squares that are added up before they join the sum

template <typename T>
struct Vector {
  typedef T Type __attribute__((vector_size(32), aligned(sizeof(T))));
  static constexpr int64_t kLanes = 32 / sizeof(T);
  static constexpr int64_t kGroup = 4 * kLanes;
};

__attribute__((always_inline, target("avx2,fma"))) inline auto root(Vector<float>::Type v) {
  return Vector<float>::Type(_mm256_sqrt_ps(__m256(v)));
}
__attribute__((always_inline, target("avx2,fma"))) inline auto root(Vector<double>::Type v) {
  return Vector<double>::Type(_mm256_sqrt_pd(__m256d(v)));
}

// How differences make a distance.
enum class Norm { kSum, kSquares, kMaximum };

template <Norm kNorm, typename V>
__attribute__((always_inline, target("avx2,fma"))) inline void join(V& sum, const V& apart) {
  if constexpr (kNorm == Norm::kSquares) {
    sum += apart * apart;
  } else {
    const V size = apart < 0 ? -apart : apart;
    if constexpr (kNorm == Norm::kSum) {
      sum += size;
    } else {
      sum = (size > sum) | (size != size) ? size : sum;  // no number, once found, stays
    }
  }
}

// Distances of x to kGroup columns of y, whose rows are `ld` apart.
template <Norm kNorm, typename T>
__attribute__((target("avx2,fma"))) void group(const T* x, const T* y, int64_t ld, int64_t d,
                                               T* to) {
  using V = typename Vector<T>::Type;
  constexpr int64_t L = Vector<T>::kLanes;
  V total[4] = {};
  for (int64_t first = 0; first < d; first += kDepth) {
    V sum[4] = {};
    for (int64_t p = first; p < std::min(d, first + kDepth); ++p) {
      for (int v = 0; v < 4; ++v) {
        join<kNorm>(sum[v], x[p] - *reinterpret_cast<const V*>(y + p * ld + v * L));
      }
    }
    for (int v = 0; v < 4; ++v) {
      if constexpr (kNorm == Norm::kMaximum) {
        join<kNorm>(total[v], sum[v]);
      } else {
        total[v] += sum[v];
      }
    }
  }
  for (int v = 0; v < 4; ++v) {
    if constexpr (kNorm == Norm::kSquares) total[v] = root(total[v]);
    *reinterpret_cast<V*>(to + v * L) = total[v];
  }
}

// A difference, or its sign times w.
template <bool kSigns, typename V>
__attribute__((always_inline, target("avx2,fma"))) inline V weighted(const V& w, const V& apart) {
  if constexpr (kSigns) {
    const V zero{}, other = apart < zero ? -w : w * apart;  // 0 or NaN
    return apart > zero ? w : other;
  } else {
    return w * apart;
  }
}

// to[p] = sum over j of w[j] * (x[p] - y[j * d + p]), or of w[j] times its sign
template <bool kSigns, typename T>
__attribute__((target("avx2,fma"))) void add_differences(const T* w, const T* x, const T* y,
                                                         int64_t n, int64_t d, T* to) {
  using V = typename Vector<T>::Type;
  constexpr int64_t L = Vector<T>::kLanes;
  int64_t p = 0;
  for (; p + 2 * L <= d; p += 2 * L) {
    const V at[2] = {*reinterpret_cast<const V*>(x + p), *reinterpret_cast<const V*>(x + p + L)};
    V sum[2] = {};
    for (int64_t j = 0; j < n; ++j) {
      for (int v = 0; v < 2; ++v) {
        sum[v] += weighted<kSigns>(V{} + w[j],
                                   at[v] - *reinterpret_cast<const V*>(y + j * d + p + v * L));
      }
    }
    for (int v = 0; v < 2; ++v) *reinterpret_cast<V*>(to + p + v * L) = sum[v];
  }
  for (; p < d; ++p) {
    T sum[4] = {};  // additions that do not wait for each other
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
      for (int q = 0; q < 4; ++q) sum[q] += weighted<kSigns>(w[j + q], x[p] - y[(j + q) * d + p]);
    }
    for (; j < n; ++j) sum[0] += weighted<kSigns>(w[j], x[p] - y[j * d + p]);
    to[p] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

// The same for rows of few elements: y in columns, `ld` apart.
template <bool kSigns, typename T>
__attribute__((target("avx2,fma"))) void add_short_differences(const T* w, const T* x, const T* y,
                                                               int64_t ld, int64_t n, int64_t d,
                                                               T* to) {
  using V = typename Vector<T>::Type;
  constexpr int64_t L = Vector<T>::kLanes;
  for (int64_t p = 0; p < d; ++p, y += ld) {
    V sums[2] = {};
    int64_t j = 0;
    for (; j + 2 * L <= n; j += 2 * L) {
      for (int v = 0; v < 2; ++v) {
        const V weight = *reinterpret_cast<const V*>(w + j + v * L);
        sums[v] += weighted<kSigns>(weight, x[p] - *reinterpret_cast<const V*>(y + j + v * L));
      }
    }
    sums[0] += sums[1];
    T sum = 0;
    for (int64_t q = 0; q < L; ++q) sum += sums[0][q];
    for (; j < n; ++j) sum += weighted<kSigns>(w[j], x[p] - y[j]);
    to[p] = sum;
  }
}

struct Sizes {
  int64_t batch = 1, m, n, d;
  Sizes(const Shape& x, const Shape& y)
      : m(x[x.size() - 2].value()), n(y[y.size() - 2].value()), d(x.back().value()) {
    for (size_t i = 0; i + 2 < x.size(); ++i) batch *= x[i].value();
  }
  int64_t grain() const { return std::max<int64_t>(1, kGrainWork / (n * d + 1)); }
};

// The columns of one matrix y, with zeros up to a whole group.
template <typename T>
void turn(const T* y, const Sizes& s, int64_t ld, T* to) {
  for (int64_t p = 0; p < s.d; ++p) {
    for (int64_t j = 0; j < s.n; ++j) to[p * ld + j] = y[j * s.d + p];
    std::fill(to + p * ld + s.n, to + (p + 1) * ld, T(0));
  }
}

// arguments: x, y
template <typename T>
void distances(KernelContext& k, decltype(&group<Norm::kSum, T>) group_distances) {
  if (k.out(0).numel == 0) return;
  const Sizes s(k.in(0).shape, k.in(1).shape);
  T* const out = k.out_data<T>(0);
  if (s.d == 0) return std::fill(out, out + k.out(0).numel, T(0));
  const T *x = k.in_data<T>(0), *y = k.in_data<T>(1);
  constexpr int64_t kGroup = Vector<T>::kGroup;
  const int64_t ld = (s.n + kGroup - 1) / kGroup * kGroup;
  const std::unique_ptr<T[]> columns(new T[static_cast<size_t>(ld * s.d)]);
  for (int64_t b = 0; b < s.batch; ++b) {
    turn(y + b * s.n * s.d, s, ld, columns.get());
    parallel_for(0, s.m, s.grain(), [&](int64_t begin, int64_t end) {
      T found[kGroup];
      for (int64_t i = b * s.m + begin; i < b * s.m + end; ++i) {
        for (int64_t j = 0; j < s.n; j += kGroup) {
          const int64_t count = std::min(kGroup, s.n - j);
          T* const to = out + i * s.n + j;
          group_distances(x + i * s.d, columns.get() + j, ld, s.d, count == kGroup ? to : found);
          if (count < kGroup) std::copy(found, found + count, to);
        }
      }
    });
  }
}

template <typename T, Norm kNorm>
void distances_kernel(KernelContext& k) {
  distances<T>(k, group<kNorm, T>);
}

// arguments: w, x, y
template <typename T, bool kSigns>
void differences_kernel(KernelContext& k) {
  if (k.out(0).numel == 0) return;
  const Sizes s(k.in(1).shape, k.in(2).shape);
  T* const out = k.out_data<T>(0);
  if (s.n == 0) return std::fill(out, out + k.out(0).numel, T(0));
  const T *w = k.in_data<T>(0), *x = k.in_data<T>(1), *y = k.in_data<T>(2);
  if (s.d < 2 * Vector<T>::kLanes) {
    const std::unique_ptr<T[]> columns(new T[static_cast<size_t>(s.n * s.d)]);
    for (int64_t b = 0; b < s.batch; ++b) {
      turn(y + b * s.n * s.d, s, s.n, columns.get());
      parallel_for(b * s.m, (b + 1) * s.m, s.grain(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          add_short_differences<kSigns>(w + i * s.n, x + i * s.d, columns.get(), s.n, s.n, s.d,
                                        out + i * s.d);
        }
      });
    }
    return;
  }
  parallel_for(0, s.batch * s.m, s.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      add_differences<kSigns>(w + i * s.n, x + i * s.d, y + i / s.m * s.n * s.d, s.n, s.d,
                              out + i * s.d);
    }
  });
}

template <typename T>
void add_both(Registry& r) {
  const auto add = [&](const char* name, KernelFn fn) {
    r.kernel(name, DeviceKind::kCpu, {DTypeOf<T>::value}, fn);
  };
  add("manhattan_distances", distances_kernel<T, Norm::kSum>);
  add("euclidean_distances", distances_kernel<T, Norm::kSquares>);
  add("chebyshev_distances", distances_kernel<T, Norm::kMaximum>);
  add("weighted_differences", differences_kernel<T, false>);
  add("weighted_signs", differences_kernel<T, true>);
}

}  // namespace

void register_distances_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
}

}  // namespace paddle::cpu

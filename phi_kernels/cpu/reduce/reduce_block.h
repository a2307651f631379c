// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A part of a row reduced in registers: lanes of the narrow type, combined in the wide one.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <complex>

#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/functors/reductions.h"

namespace paddle::cpu {

template <typename T>
constexpr bool kHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

// n values of a 16-bit type as floats.
template <typename T>
void widen(const T* p, int64_t n, float* out) {
  loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(DType::kFloat32)](
      n, out, p, 1);
}

template <typename Op>
concept CanWiden = kHalf<typename Op::In> && requires {
  typename Op::template Of<float>;
};

// AVX2 is the least that isa() has.
template <typename Op>
__attribute__((target("avx2"), noinline)) typename Op::Wide reduce_block(const typename Op::In* p,
                                                                         int64_t n) {
  using N = typename Op::Narrow;
  using W = typename Op::Wide;
  constexpr int kLanes = sizeof(N) == 8 ? 16 : 64;
  W total = static_cast<W>(Op::start());
  int64_t i = 0;
  if (n >= kLanes) {
    N lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) lanes[l] = Op::start();
    for (; i + kLanes <= n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) lanes[l] = Op::step(lanes[l], Op::load(p[i + l]));
    }
    W parts[4];  // that do not wait for each other
    for (int l = 0; l < 4; ++l) parts[l] = static_cast<W>(lanes[l]);
    for (int l = 4; l < kLanes; ++l)
      parts[l % 4] = Op::step(parts[l % 4], static_cast<W>(lanes[l]));
    total = Op::step(Op::step(parts[0], parts[1]), Op::step(parts[2], parts[3]));
  }
  for (; i < n; ++i) total = Op::step(total, static_cast<W>(Op::load(p[i])));
  return total;
}

// Eight of a row's float32, wherever it starts.
typedef float Vector __attribute__((vector_size(32), aligned(4)));

// Complex numbers are pairs of floats: even lanes real, odd lanes imaginary.
template <>
__attribute__((target("avx2"))) inline std::complex<double> reduce_block<Sum<std::complex<float>>>(
    const std::complex<float>* p, int64_t n) {
  const float* x = reinterpret_cast<const float*>(p);
  double parts[2] = {0, 0};
  int64_t i = 0;
  if (n >= 32) {
    Vector s[8] = {};
    for (; i + 64 <= 2 * n; i += 64) {
#pragma GCC unroll 8
      for (int l = 0; l < 8; ++l) s[l] += *reinterpret_cast<const Vector*>(x + i + 8 * l);
    }
    for (const Vector& v : s) {
      for (int l = 0; l < 8; ++l) parts[l % 2] += static_cast<double>(v[l]);
    }
  }
  for (; i < 2 * n; ++i) parts[i % 2] += static_cast<double>(x[i]);
  return {parts[0], parts[1]};
}

// Extremes in eight vectors that stay in registers. NaN, which is passed over there, is looked for
// beside them.
template <typename Op>
__attribute__((target("avx2"), noinline)) typename Op::In extreme_block(const typename Op::In* p,
                                                                        int64_t n) {
  using T = typename Op::In;
  typedef T Values __attribute__((vector_size(32), aligned(alignof(T))));
  constexpr int64_t kWide = 32 / sizeof(T);
  constexpr bool kMax = std::is_same_v<Op, Max<T>>;
  T total = Op::start();
  int64_t i = 0;
  if (n >= kWide) {
    Values s[8];
    for (Values& v : s) v = Values{} + total;
    decltype(s[0] != s[0]) odd{};
    const auto take = [&](int64_t l, int64_t at) __attribute__((target("avx2"), always_inline)) {
      const Values v = *reinterpret_cast<const Values*>(p + at);
      s[l] = (kMax ? v > s[l] : v < s[l]) ? v : s[l];
      if constexpr (std::is_floating_point_v<T>) odd |= v != v;
    };
    for (; i + 8 * kWide <= n; i += 8 * kWide) {
#pragma GCC unroll 8
      for (int64_t l = 0; l < 8; ++l) take(l, i + kWide * l);
    }
    for (; i + kWide <= n; i += kWide) take(0, i);
    for (int k = 4; k > 0; k /= 2) {
      for (int l = 0; l < k; ++l)
        s[l] = (kMax ? s[l + k] > s[l] : s[l + k] < s[l]) ? s[l + k] : s[l];
    }
    for (int64_t l = 0; l < kWide; ++l) {
      total = (kMax ? s[0][l] > total : s[0][l] < total) ? s[0][l] : total;
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (int64_t l = 0; l < kWide; ++l) {
        if (odd[l] != 0) return std::numeric_limits<T>::quiet_NaN();
      }
    }
  }
  for (; i < n; ++i) total = Op::step(total, p[i]);
  return total;
}

// What extreme_block takes: numbers whose own type is compared.
template <typename Op>
constexpr bool kExtreme =
    (std::is_same_v<Op, Max<typename Op::In>> || std::is_same_v<Op, Min<typename Op::In>>)&&(
        sizeof(typename Op::In) >= 4 ||
        std::is_same_v<typename Op::In, uint8_t>)&&std::is_arithmetic_v<typename Op::In>;

// The largest (or smallest) of `start` and the numbers of a block; NaN is passed over.
template <bool kLargest, typename T>
__attribute__((target("avx2"))) T extreme_number(const T* p, int64_t n, T start) {
  typedef T Numbers __attribute__((vector_size(32), aligned(alignof(T))));
  constexpr int64_t kLanes = 32 / sizeof(T);
  T top = start;
  int64_t i = 0;
  if (n >= 4 * kLanes) {
    Numbers s[4];
    for (Numbers& v : s) v = Numbers{} + start;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
#pragma GCC unroll 4
      for (int l = 0; l < 4; ++l) {
        const Numbers v = *reinterpret_cast<const Numbers*>(p + i + kLanes * l);
        s[l] = (kLargest ? v > s[l] : v < s[l]) ? v : s[l];
      }
    }
    for (const Numbers& v : s) {
      for (int64_t l = 0; l < kLanes; ++l) top = (kLargest ? v[l] > top : v[l] < top) ? v[l] : top;
    }
  }
  for (; i < n; ++i) top = (kLargest ? p[i] > top : p[i] < top) ? p[i] : top;
  return top;
}

// Position of the first of the largest (or smallest) numbers; 0 when there is none. Most blocks
// hold no larger one, so that few are looked through for its place.
template <bool kLargest, typename T>
int64_t first_extreme(const T* p, int64_t n) {
  constexpr int64_t kBlock = 1024;
  int64_t best = 0;
  while (best < n && p[best] != p[best]) ++best;
  if (best == n) return 0;
  for (int64_t i = best + 1; i < n; i += kBlock) {
    const T* end = p + std::min(n, i + kBlock);
    const T top = extreme_number<kLargest>(p + i, end - (p + i), p[best]);
    if (top != p[best]) best = std::find(p + i, end, top) - p;
  }
  return best;
}

// Products of float32 in double, four vectors that stay in registers.
template <>
__attribute__((target("avx2"))) inline double reduce_block<Prod<float>>(const float* p, int64_t n) {
  typedef float Narrow __attribute__((vector_size(16), aligned(4)));
  typedef double Vector __attribute__((vector_size(32)));
  double total = 1;
  int64_t i = 0;
  if (n >= 16) {
    Vector s[4];
    for (Vector& v : s) v = Vector{} + 1.0;
    for (; i + 16 <= n; i += 16) {
#pragma GCC unroll 4
      for (int l = 0; l < 4; ++l) {
        s[l] *= __builtin_convertvector(*reinterpret_cast<const Narrow*>(p + i + 4 * l), Vector);
      }
    }
    const Vector all = (s[0] * s[1]) * (s[2] * s[3]);
    total = (all[0] * all[1]) * (all[2] * all[3]);
  }
  for (; i < n; ++i) total *= static_cast<double>(p[i]);
  return total;
}

// In float64, two vectors of it at a time: one by one the 64 lanes took a tenth of a block's time.
__attribute__((target("avx2"))) inline double sum_of_lanes(const Vector (&s)[8]) {
  __m256d low = _mm256_setzero_pd(), high = low;
  for (const Vector& v : s) {
    const auto lanes = reinterpret_cast<__m256>(v);
    low += _mm256_cvtps_pd(_mm256_castps256_ps128(lanes));
    high += _mm256_cvtps_pd(_mm256_extractf128_ps(lanes, 1));
  }
  low += high;
  return (low[0] + low[1]) + (low[2] + low[3]);
}

// The lanes of a float32 block, or of its squares, as vectors that stay in registers (AVX2 is the
// least that isa() has).
template <bool kSquares>
__attribute__((target("avx2"))) inline double sum_block(const float* p, int64_t n) {
  const auto at = [p](int64_t i) __attribute__((target("avx2"), always_inline)) {
    const Vector v = *reinterpret_cast<const Vector*>(p + i);
    return kSquares ? v * v : v;
  };
  const auto four = [p](int64_t i) __attribute__((target("avx2"), always_inline)) {
    const __m128 v = _mm_loadu_ps(p + i);
    return _mm256_cvtps_pd(kSquares ? v * v : v);
  };
  double total = 0;
  int64_t i = 0;
  if (n >= 64) {
    Vector s[8] = {};
    for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 8
      for (int l = 0; l < 8; ++l) s[l] += at(i + 8 * l);
    }
    for (; i + 8 <= n; i += 8) s[0] += at(i);
    total = sum_of_lanes(s);
  }
  __m256d few = _mm256_setzero_pd(), more = few;  // a short row, or the rest of a long one
  for (; i + 8 <= n; i += 8) few += four(i), more += four(i + 4);
  few += more;
  if (i + 4 <= n) few += four(i), i += 4;
  for (; i < n; ++i) total += static_cast<double>(kSquares ? p[i] * p[i] : p[i]);
  return total + ((few[0] + few[1]) + (few[2] + few[3]));
}
template <>
__attribute__((target("avx2"))) inline double reduce_block<Sum<float>>(const float* p, int64_t n) {
  return sum_block<false>(p, n);
}
template <>
__attribute__((target("avx2"))) inline double reduce_block<SquareSum<float>>(const float* p,
                                                                             int64_t n) {
  return sum_block<true>(p, n);
}

// Two neighbouring blocks of n float32 each (n a multiple of 64) that come from memory: read side
// by side, each line asked for 1 KiB ahead. The processor's own prefetching of one stream leaves a
// quarter of the bandwidth unused. The sums are those of reduce_block.
__attribute__((target("avx2"))) inline void sum_two_blocks(const float* p, int64_t n, double* out) {
  Vector s[2][8] = {};
  for (int64_t i = 0; i < n; i += 64) {
#pragma GCC unroll 2
    for (int b = 0; b < 2; ++b) {
      const float* x = p + b * n + i;
#pragma GCC unroll 4
      for (int line = 0; line < 4; ++line) __builtin_prefetch(x + 256 + 16 * line);
#pragma GCC unroll 8
      for (int l = 0; l < 8; ++l) s[b][l] += *reinterpret_cast<const Vector*>(x + 8 * l);
    }
  }
  for (int b = 0; b < 2; ++b) out[b] = sum_of_lanes(s[b]);
}

// The same for 16-bit types, by way of floats.
template <typename Op>
typename Op::Wide reduce_part(const typename Op::In* p, int64_t n) {
  if constexpr (kExtreme<Op>) {
    return extreme_block<Op>(p, n);
  } else if constexpr (!CanWiden<Op>) {
    return reduce_block<Op>(p, n);
  } else {
    using Wide = typename Op::Wide;
    float block[1024];
    Wide total = static_cast<Wide>(Op::start());
    for (int64_t i = 0; i < n; i += 1024) {
      const int64_t count = std::min<int64_t>(1024, n - i);
      widen(p + i, count, block);
      const auto part = reduce_part<typename Op::template Of<float>>(block, count);
      total = Op::step(total, static_cast<Wide>(part));
    }
    return total;
  }
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Strips of B as wide as two vectors are multiplied with four rows of A at a time, whose sums stay
// in registers. A strip that does not lie so in memory is copied first.
#include "phi_kernels/cpu/gemm/gemm_integer.h"

#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kDepth = 256;           // rows of a strip
constexpr int64_t kParallelWork = 65536;  // multiply-adds worth a second thread

template <typename T>
struct Strip {
  typedef T Vector __attribute__((vector_size(64), aligned(alignof(T))));
  static constexpr int64_t kLanes = 64 / sizeof(T), kWidth = 2 * kLanes;
};

// kRows rows of A, rows `down` and columns `across` apart, times a strip: added to `sums`.
template <typename T, int kRows>
__attribute__((always_inline)) inline void multiply_strip(const T* a, int64_t down, int64_t across,
                                                          const T* strip, int64_t step,
                                                          int64_t depth, T* sums) {
  using Vector = typename Strip<T>::Vector;
  Vector acc[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p) {
    const Vector low = *reinterpret_cast<const Vector*>(strip + p * step);
    const Vector high = *reinterpret_cast<const Vector*>(strip + p * step + Strip<T>::kLanes);
    for (int r = 0; r < kRows; ++r) {
      const T factor = a[r * down + p * across];
      acc[r][0] += factor * low;
      acc[r][1] += factor * high;
    }
  }
  __builtin_memcpy(sums, acc, sizeof acc);
}

template <typename T>
using StripFn = void (*)(const T* a, int64_t down, int64_t across, const T* strip, int64_t step,
                         int64_t depth, T* sums);

template <typename T, int kRows>
__attribute__((target("avx2"))) void strip_avx2(const T* a, int64_t down, int64_t across,
                                                const T* strip, int64_t step, int64_t depth,
                                                T* sums) {
  multiply_strip<T, kRows>(a, down, across, strip, step, depth, sums);
}
template <typename T, int kRows>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void strip_avx512(
    const T* a, int64_t down, int64_t across, const T* strip, int64_t step, int64_t depth,
    T* sums) {
  multiply_strip<T, kRows>(a, down, across, strip, step, depth, sums);
}

template <typename T>
StripFn<T> strip_function(int64_t rows) {
  const bool wide = isa() == Isa::kAvx512;
  if (rows == 4) return wide ? strip_avx512<T, 4> : strip_avx2<T, 4>;
  return wide ? strip_avx512<T, 1> : strip_avx2<T, 1>;
}

// Rows [begin, end) of C.
template <typename T>
void multiply_rows(const GemmShape& s, const T* a, const T* b, T* c, int64_t begin, int64_t end) {
  constexpr int64_t kWidth = Strip<T>::kWidth;
  const int64_t down = s.trans_a ? 1 : s.lda, across = s.trans_a ? s.lda : 1;
  const StripFn<T> four = strip_function<T>(4), one = strip_function<T>(1);
  std::vector<T> packed;
  T sums[4 * kWidth];
  for (int64_t p0 = 0; p0 < s.k; p0 += kDepth) {
    const int64_t depth = std::min(kDepth, s.k - p0);
    for (int64_t j = 0; j < s.n; j += kWidth) {
      const int64_t width = std::min(kWidth, s.n - j);
      const T* strip = b + p0 * s.ldb + j;
      int64_t step = s.ldb;
      if (s.trans_b || width < kWidth) {
        packed.resize(static_cast<size_t>(depth * kWidth));
        for (int64_t p = 0; p < depth; ++p) {
          T* row = packed.data() + p * kWidth;
          for (int64_t q = 0; q < width; ++q) {
            row[q] = s.trans_b ? b[(j + q) * s.ldb + p0 + p] : strip[p * s.ldb + q];
          }
          std::fill(row + width, row + kWidth, T(0));
        }
        strip = packed.data();
        step = kWidth;
      }
      for (int64_t i = begin; i < end;) {
        const int64_t rows = end - i >= 4 ? 4 : 1;
        (rows == 4 ? four : one)(a + i * down + p0 * across, down, across, strip, step, depth,
                                 sums);
        for (int64_t r = 0; r < rows; ++r) {
          T* to = c + (i + r) * s.ldc + j;
          for (int64_t q = 0; q < width; ++q) to[q] += sums[r * kWidth + q];
        }
        i += rows;
      }
    }
  }
}

// A matrix times a vector: a sum per row.
template <typename T>
__attribute__((target("avx2"))) T dot(const T* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t p = 0; p < n; ++p) sum += a[p] * b[p];
  return sum;
}

}  // namespace

template <typename T>
void integer_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  const int64_t row_work = std::max<int64_t>(1, s.n * s.k);
  const int64_t grain = std::max<int64_t>(4, kParallelWork / row_work / 4 * 4);
  const bool rows_of_both = s.n < 4 && !s.trans_a && (s.trans_b || (s.n == 1 && s.ldb == 1));
  parallel_for(0, s.m, grain, [&](int64_t begin, int64_t end) {
    if (!accumulate) {
      for (int64_t i = begin; i < end; ++i) std::fill(c + i * s.ldc, c + i * s.ldc + s.n, T(0));
    }
    if (!rows_of_both) return multiply_rows(s, a, b, c, begin, end);
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        c[i * s.ldc + j] += dot(a + i * s.lda, b + j * s.ldb, s.k);
      }
    }
  });
}

template void integer_gemm<uint32_t>(const GemmShape&, const uint32_t*, const uint32_t*, uint32_t*,
                                     bool);
template void integer_gemm<uint64_t>(const GemmShape&, const uint64_t*, const uint64_t*, uint64_t*,
                                     bool);

}  // namespace paddle::cpu

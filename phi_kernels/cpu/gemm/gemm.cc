// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products: float32 through split_product.h or oneDNN's sgemm, 16-bit floats by widening to
// float32 (as they are where the machine multiplies them), a few rows through few_rows.h, float64
// and complex numbers through OpenBLAS, integers of 32 and 64 bits through gemm_integer.h, narrower
// ones through a blocked loop, and tiny float products through a plain loop that costs less than a
// library call. Under FLAGS_batch_invariant all floats go through chain_product.h and complex
// numbers through the blocked loop, which adds in order.
#include "phi_kernels/cpu/gemm/gemm.h"

#include <immintrin.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/gemm/chain_product.h"
#include "phi_kernels/cpu/gemm/few_rows.h"
#include "phi_kernels/cpu/gemm/gemm_half.h"
#include "phi_kernels/cpu/gemm/gemm_integer.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/libraries/lapack.h"
#include "phi_kernels/cpu/libraries/onednn.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kTinyWork = 2048;       // multiply-adds below which a library call costs more
constexpr int64_t kRow = 32;              // elements from which on a row is worth a call
constexpr int64_t kParallelWork = 65536;  // multiply-adds worth a second thread

template <typename T>
inline void multiply_add(T& c, T a, T b) {
  c = static_cast<T>(c + a * b);
}
template <typename R>
inline void multiply_add(std::complex<R>& c, std::complex<R> a, std::complex<R> b) {
  c = {c.real() + a.real() * b.real() - a.imag() * b.imag(),
       c.imag() + a.real() * b.imag() + a.imag() * b.real()};
}

void tiny_sgemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta,
                float* c) {
  if (s.n == 1 && s.m > 1 && s.ldc == 1) {  // a column is computed as a row
    return tiny_sgemm({!s.trans_b, !s.trans_a, 1, s.m, s.k, s.ldb, s.lda, s.m}, alpha, b, a, beta,
                      c);
  }
  const bool trans_b = s.trans_b && !(s.k == 1 && s.ldb == 1);
  for (int64_t i = 0; i < s.m; ++i) {
    float* row = c + i * s.ldc;
    if (beta == 0) {
      std::fill(row, row + s.n, 0.0f);
    } else if (beta != 1) {
      for (int64_t j = 0; j < s.n; ++j) row[j] *= beta;
    }
    if (trans_b) {
      for (int64_t j = 0; j < s.n; ++j) {
        float sum = 0;
        const float* column = b + j * s.ldb;
        if (!s.trans_a && s.k >= kRow) {
          row[j] += alpha * rows<float>().dot(a + i * s.lda, column, s.k);
          continue;
        }
        for (int64_t p = 0; p < s.k; ++p) {
          sum += (s.trans_a ? a[p * s.lda + i] : a[i * s.lda + p]) * column[p];
        }
        row[j] += alpha * sum;
      }
      continue;
    }
    for (int64_t p = 0; p < s.k; ++p) {
      const float factor = alpha * (s.trans_a ? a[p * s.lda + i] : a[i * s.lda + p]);
      const float* from = b + p * s.ldb;
      for (int64_t j = 0; j < s.n; ++j) row[j] += factor * from[j];
    }
  }
}

// -- products of small matrices, as batches have them
// ----------------------------------------------

constexpr int64_t kSmallWork = 40000;  // multiply-adds; the library takes as long for its own work
constexpr int64_t kSmallPanel = 4096;  // elements of B
constexpr int64_t kStrip = 16;         // columns of C

// kRows x (kVectors * kLanes) elements of C, which stay in registers. `to`, with rows
// `ldc` apart, receives alpha times them, added to beta times what it holds.
template <int kLanes, int kRows, int kVectors>
[[gnu::always_inline]] inline void multiply_tile(const float* a, int64_t down, int64_t across,
                                                 const float* b, int64_t ldb, int64_t k,
                                                 float alpha, float beta, float* to, int64_t ldc) {
  typedef float Vector __attribute__((vector_size(kLanes * 4), aligned(4)));
  Vector sum[kRows][kVectors] = {};
  for (int64_t p = 0; p < k; ++p) {
    for (int r = 0; r < kRows; ++r) {
      const float factor = a[r * down + p * across];
      for (int v = 0; v < kVectors; ++v) {
        sum[r][v] += factor * *reinterpret_cast<const Vector*>(b + p * ldb + kLanes * v);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      Vector& out = *reinterpret_cast<Vector*>(to + r * ldc + kLanes * v);
      out = beta == 0 ? alpha * sum[r][v] : alpha * sum[r][v] + beta * out;
    }
  }
}

#define PADDLE_TILE_ARGUMENTS                                                           \
  const float *a, int64_t down, int64_t across, const float *b, int64_t ldb, int64_t k, \
      float alpha, float beta, float *to, int64_t ldc
template <int kRows, int kVectors>
__attribute__((target("avx2,fma"))) void small_tile(PADDLE_TILE_ARGUMENTS) {
  multiply_tile<8, kRows, kVectors>(a, down, across, b, ldb, k, alpha, beta, to, ldc);
}
template <int kVectors>
__attribute__((target("avx512f,fma"))) void tall_tile(PADDLE_TILE_ARGUMENTS) {
  multiply_tile<16, 8, kVectors>(a, down, across, b, ldb, k, alpha, beta, to, ldc);
}
#undef PADDLE_TILE_ARGUMENTS

// Columns of `b` as rows of `to`, eight at a time.
__attribute__((target("avx2"))) int64_t transpose_small(const float* b, int64_t ldb, int64_t n,
                                                        int64_t k, float* to, int64_t ld) {
  const auto step = static_cast<int>(ldb);
  const __m256i down =
      _mm256_setr_epi32(0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step);
  int64_t j = 0;
  for (; j + 8 <= n; j += 8) {
    for (int64_t p = 0; p < k; ++p) {
      _mm256_storeu_ps(to + p * ld + j, _mm256_i32gather_ps(b + j * ldb + p, down, 4));
    }
  }
  return j;
}

using SmallTile = decltype(&small_tile<1, 1>);
template <int kVectors>
SmallTile small_tile_of(int64_t rows) {
  return rows == 4   ? small_tile<4, kVectors>
         : rows == 3 ? small_tile<3, kVectors>
         : rows == 2 ? small_tile<2, kVectors>
                     : small_tile<1, kVectors>;
}

// Columns that a tile has: eight where that leaves fewer empty.
int64_t strip_of(int64_t n) { return n % kStrip != 0 && n % kStrip <= 8 ? 8 : kStrip; }
int64_t whole_strips(int64_t n) { return (n + strip_of(n) - 1) / strip_of(n) * strip_of(n); }

inline bool is_small(const GemmShape& s) {
  return s.m * s.n * s.k <= kSmallWork && s.m >= 4 && s.n >= 8 && s.k > 0 &&
         s.k * whole_strips(s.n) <= kSmallPanel;
}

void small_sgemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta,
                 float* c) {
  alignas(64) float panel[kSmallPanel];
  const int64_t strip = strip_of(s.n);
  const bool tall = strip == kStrip && isa() == Isa::kAvx512;
  int64_t ldb = s.ldb;
  if (s.trans_b || s.n % strip != 0) {  // B as it is read, filled up with zeros
    ldb = whole_strips(s.n);
    const bool gathers = s.trans_b && s.ldb < (1 << 27);
    const int64_t done = gathers ? transpose_small(b, s.ldb, s.n, s.k, panel, ldb) : 0;
    for (int64_t p = 0; p < s.k; ++p) {
      float* row = panel + p * ldb;
      for (int64_t j = done; j < s.n; ++j) {
        row[j] = s.trans_b ? b[j * s.ldb + p] : b[p * s.ldb + j];
      }
      std::fill(row + s.n, row + ldb, 0.0f);
    }
    b = panel;
  }
  const int64_t down = s.trans_a ? 1 : s.lda, across = s.trans_a ? s.lda : 1;
  for (int64_t i = 0, rows = 0; i < s.m; i += rows) {
    const bool eight = tall && s.m - i >= 8;
    rows = eight ? 8 : std::min<int64_t>(4, s.m - i);
    int64_t columns = 0;
    for (int64_t j = 0; j < s.n; j += columns) {
      const bool twice = eight && s.n - j >= 2 * kStrip;
      columns = std::min(twice ? 2 * kStrip : strip, s.n - j);
      const SmallTile tile = twice        ? tall_tile<2>
                             : eight      ? tall_tile<1>
                             : strip == 8 ? small_tile_of<1>(rows)
                                          : small_tile_of<2>(rows);
      float* to = c + i * s.ldc + j;
      const float* from = a + i * down;
      if (columns >= strip) {
        tile(from, down, across, b + j, ldb, s.k, alpha, beta, to, s.ldc);
        continue;
      }
      float part[8 * kStrip];
      tile(from, down, across, b + j, ldb, s.k, alpha, 0, part, strip);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t q = 0; q < columns; ++q) {
          float& out = to[r * s.ldc + q];
          out = beta == 0 ? part[r * strip + q] : part[r * strip + q] + beta * out;
        }
      }
    }
  }
}

// Rows [begin, end) of C. B is taken in panels of kDepth x kWidth that stay in the second-level
// cache; a transposed panel is packed once per panel; four rows of C share each row of B.
template <typename T>
void block_rows(const GemmShape& s, const T* a, const T* b, T* c, int64_t begin, int64_t end) {
  constexpr int64_t kDepth = 128, kWidth = 256;
  std::vector<T> packed;
  if (s.trans_b) packed.resize(static_cast<size_t>(kDepth * kWidth));
  const auto at = [&](int64_t i, int64_t p) {
    return s.trans_a ? a[p * s.lda + i] : a[i * s.lda + p];
  };
  for (int64_t p0 = 0; p0 < s.k; p0 += kDepth) {
    const int64_t depth = std::min(kDepth, s.k - p0);
    for (int64_t j0 = 0; j0 < s.n; j0 += kWidth) {
      const int64_t width = std::min(kWidth, s.n - j0);
      const T* panel = b + p0 * s.ldb + j0;
      int64_t stride = s.ldb;
      if (s.trans_b) {
        for (int64_t j = 0; j < width; ++j) {
          const T* from = b + (j0 + j) * s.ldb + p0;
          for (int64_t p = 0; p < depth; ++p) packed[static_cast<size_t>(p * width + j)] = from[p];
        }
        panel = packed.data();
        stride = width;
      }
      int64_t i = begin;
      for (; i + 4 <= end; i += 4) {
        T* __restrict c0 = c + i * s.ldc + j0;
        T* __restrict c1 = c0 + s.ldc;
        T* __restrict c2 = c1 + s.ldc;
        T* __restrict c3 = c2 + s.ldc;
        for (int64_t p = 0; p < depth; ++p) {
          const T a0 = at(i, p0 + p), a1 = at(i + 1, p0 + p), a2 = at(i + 2, p0 + p),
                  a3 = at(i + 3, p0 + p);
          const T* __restrict from = panel + p * stride;
          for (int64_t j = 0; j < width; ++j) {
            multiply_add(c0[j], a0, from[j]);
            multiply_add(c1[j], a1, from[j]);
            multiply_add(c2[j], a2, from[j]);
            multiply_add(c3[j], a3, from[j]);
          }
        }
      }
      for (; i < end; ++i) {
        T* __restrict row = c + i * s.ldc + j0;
        for (int64_t p = 0; p < depth; ++p) {
          const T factor = at(i, p0 + p);
          const T* __restrict from = panel + p * stride;
          for (int64_t j = 0; j < width; ++j) multiply_add(row[j], factor, from[j]);
        }
      }
    }
  }
}

template <typename T>
void block_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  const int64_t row_work = std::max<int64_t>(1, s.n * s.k);
  const int64_t grain = std::max<int64_t>(4, kParallelWork / row_work / 4 * 4);
  parallel_for(0, s.m, grain, [&](int64_t begin, int64_t end) {
    if (!accumulate) {
      for (int64_t i = begin; i < end; ++i) std::fill(c + i * s.ldc, c + i * s.ldc + s.n, T());
    }
    block_rows(s, a, b, c, begin, end);
  });
}

template <typename T>
void widen(const T* from, int64_t rows, int64_t columns, int64_t stride, float* to) {
  parallel_for(0, rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, columns)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(
                       DType::kFloat32)](columns, to + i * columns, from + i * stride, 1);
                 }
               });
}

template <typename T>
void half_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  if (batch_invariant()) return chain_product(s, a, b, c, accumulate);
  const bool is_vector = s.m == 1 || s.n == 1;  // takes as long as the matrix to read
  if (!is_vector && !is_small(s) && native_gemm(s, a, b, c, accumulate)) return;
  if (is_few_rows(s)) return multiply_few_rows(s, 1, a, b, accumulate ? 1.0f : 0.0f, c);
  GemmShape f = s;
  f.lda = s.trans_a ? s.m : s.k;
  f.ldb = s.trans_b ? s.k : s.n;
  f.ldc = s.n;
  std::vector<float> wide(static_cast<size_t>(s.m * s.k + s.k * s.n + s.m * s.n));
  float* wide_a = wide.data();
  float* wide_b = wide_a + s.m * s.k;
  float* wide_c = wide_b + s.k * s.n;
  widen(a, s.trans_a ? s.k : s.m, f.lda, s.lda, wide_a);
  widen(b, s.trans_b ? s.n : s.k, f.ldb, s.ldb, wide_b);
  if (accumulate) widen(c, s.m, s.n, s.ldc, wide_c);
  sgemm(f, 1, wide_a, wide_b, accumulate ? 1.0f : 0.0f, wide_c);
  parallel_for(0, s.m, std::max<int64_t>(1, 32768 / s.n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      loop_tables.convert[static_cast<int>(DType::kFloat32)][static_cast<int>(DTypeOf<T>::value)](
          s.n, c + i * s.ldc, wide_c + i * s.n, 1);
    }
  });
}

// float64 and complex products go to the linear algebra library. Several threads: one large
// product.
template <typename T>
void library_gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  constexpr int64_t kThreadsWork = 1000000;
  const LibraryThreadScope threads(!must_run_serially() && num_threads() > 1 &&
                                   s.m * s.n * s.k > kThreadsWork);
  const auto limit = [](int64_t n) { return static_cast<int>(std::max<int64_t>(n, 1)); };
  const auto flag = [](bool trans) { return trans ? kTrans : kNoTrans; };
  const T one = T(1), beta = accumulate ? T(1) : T(0);
  const auto call = [&](auto alpha, auto beta_factor) {
    lapack<T>().gemm(kRowMajor, flag(s.trans_a), flag(s.trans_b), static_cast<int>(s.m),
                     static_cast<int>(s.n), static_cast<int>(s.k), alpha, a, limit(s.lda), b,
                     limit(s.ldb), beta_factor, c, limit(s.ldc));
  };
  if constexpr (kIsComplex<T>) {
    call(&one, &beta);
  } else {
    call(one, beta);
  }
}

// Sizes that the library's 32-bit integers hold.
bool fits_library(const GemmShape& s) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  return std::max({s.m, s.n, s.k, s.lda, s.ldb, s.ldc}) < kLimit;
}

}  // namespace

void sgemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta, float* c) {
  if (s.m == 0 || s.n == 0) return;
  if (batch_invariant() && alpha == 1 && (beta == 0 || beta == 1)) {
    return chain_product(s, a, b, c, beta == 1);
  }
  if (s.m == 1 && s.n == 1 && (!s.trans_a || s.lda == 1) && (s.trans_b || s.ldb == 1)) {
    *c = alpha * rows<float>().dot(a, b, s.k) + (beta == 0 ? 0 : beta * *c);
    return;
  }
  if (is_small(s)) return small_sgemm(s, alpha, a, b, beta, c);
  if (s.m * s.n * s.k <= kTinyWork) {
    tiny_sgemm(s, alpha, a, b, beta, c);
    return;
  }
  if (is_few_rows(s)) return multiply_few_rows(s, alpha, a, b, beta, c);
  if (alpha == 1 && (beta == 0 || beta == 1) && split_sgemm(s, a, b, beta == 1, c)) return;
  library_sgemm(s, alpha, a, b, beta, c);
}

void library_sgemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta,
                   float* c) {
  const LibraryThreads threads;
  const dnnl_status_t status =
      dnnl_sgemm(s.trans_a ? 'T' : 'N', s.trans_b ? 'T' : 'N', s.m, s.n, s.k, alpha, a,
                 std::max<int64_t>(s.lda, 1), b, std::max<int64_t>(s.ldb, 1), beta, c, s.ldc);
  PADDLE_CHECK_RUNTIME(status == dnnl_success, "matmul: oneDNN refused a product of [", s.m, ", ",
                       s.k, "] and [", s.k, ", ", s.n, "] with status ", static_cast<int>(status),
                       "; the usual cause is lack of memory.");
}

template <typename T>
void gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  if (s.m == 0 || s.n == 0) return;
  if constexpr (std::is_same_v<T, float>) {
    sgemm(s, 1, a, b, accumulate ? 1.0f : 0.0f, c);
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    half_gemm(s, a, b, c, accumulate);
  } else {
    if constexpr (std::is_same_v<T, double>) {
      if (batch_invariant()) return chain_product(s, a, b, c, accumulate);
    }
    if constexpr (!std::is_integral_v<T>) {
      if (!batch_invariant() && s.m * s.n * s.k > kTinyWork && fits_library(s)) {
        return library_gemm(s, a, b, c, accumulate);
      }
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      integer_gemm(s, a, b, c, accumulate);
    } else {
      block_gemm(s, a, b, c, accumulate);
    }
  }
}

#define PADDLE_GEMM(T) template void gemm<T>(const GemmShape&, const T*, const T*, T*, bool);
PADDLE_GEMM(float)
PADDLE_GEMM(double)
PADDLE_GEMM(float16)
PADDLE_GEMM(bfloat16)
PADDLE_GEMM(std::complex<float>)
PADDLE_GEMM(std::complex<double>)
PADDLE_GEMM(uint8_t)
PADDLE_GEMM(uint16_t)
PADDLE_GEMM(uint32_t)
PADDLE_GEMM(uint64_t)
#undef PADDLE_GEMM

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of B times a number are added up where B is [k, n], rows of B are multiplied with those of A
// where it is [n, k].
#include "phi_kernels/cpu/gemm/few_rows.h"

#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/tensor/tensor.h"
#include "phi_kernels/cpu/gemm/row_products.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kFewRows = 4;
constexpr int64_t kNearest = 2048;       // floats that the nearest cache keeps
constexpr int64_t kGroup = 4;            // rows of B
constexpr int64_t kHeld = 1 << 18;       // elements of B
constexpr int64_t kSharedWork = 131072;  // elements of B from which on threads share it
constexpr int64_t kPartRows = 64, kMostParts = 8;

// Rows of floats in lines of the cache of their own.
struct Rows {
  StoragePtr held;
  int64_t step;
  float* data;

  Rows(int64_t count, int64_t length)
      : held(Storage::allocate(static_cast<size_t>(count * padded(length)) * sizeof(float),
                               Place())),
        step(padded(length)),
        data(static_cast<float*>(held->data())) {}
  static int64_t padded(int64_t length) { return (length + 15) / 16 * 16; }
};

// op(A)
template <typename T>
Rows rows_of(const GemmShape& s, const T* a) {
  Rows rows(s.m, s.k);
  const int64_t down = s.trans_a ? 1 : s.lda, across = s.trans_a ? s.lda : 1;
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t p = 0; p < s.k; ++p) {
      rows.data[i * rows.step + p] = static_cast<float>(a[i * down + p * across]);
    }
  }
  return rows;
}

template <typename T>
struct Product {
  const GemmShape& s;
  float alpha, beta;
  const Rows& a;
  const T* b;
  T* c;

  void put(int64_t i, int64_t j, float sum) const {
    T& to = c[i * s.ldc + j];
    to = static_cast<T>(beta == 0 ? alpha * sum : alpha * sum + beta * static_cast<float>(to));
  }

  // Rows of B that are taken together: one, read in one go from memory, or several where the caches
  // of a core may hold B, or the `length` floats of every row of the other side leave the nearest.
  int64_t group_for(int64_t length) const {
    return s.m * length <= kNearest && s.k * s.n > kHeld ? 1 : kGroup;
  }

  // sums[m, n] = the part of the product that rows [first, last) of B make.
  void add_rows(int64_t first, int64_t last, float* sums) const {
    std::fill(sums, sums + s.m * s.n, 0.0f);
    const int64_t group = group_for(s.n);
    int64_t p = first;
    for (; p + group <= last; p += group) add_group(p, group, sums);
    for (; p < last; ++p) add_group(p, 1, sums);
  }

  void add_group(int64_t p, int64_t group, float* sums) const {
    row_product_kernels<T>().sums(
        {a.data + p, s.m, a.step, b + p * s.ldb, group, s.ldb, s.n, sums, s.n});
  }

  void by_rows() const {
    const bool shared = s.k * s.n >= kSharedWork;
    const int64_t parts = shared ? std::clamp<int64_t>(s.k / kPartRows, 1, kMostParts) : 1;
    const Rows sums(parts, s.m * s.n);
    parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        add_rows(s.k * part / parts, s.k * (part + 1) / parts, sums.data + part * sums.step);
      }
    });
    for (int64_t part = 1; part < parts; ++part) {
      rows<float>().axpy(1, sums.data + part * sums.step, sums.data, s.m * s.n);
    }
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) put(i, j, sums.data[i * s.n + j]);
    }
  }

  // sums[m, group] = rows of A with `group` rows of B, from row j.
  void multiply_group(int64_t j, int64_t group, float* sums) const {
    const T* const from = b + j * s.ldb;
    if (s.m == 1) {
      sums[0] = row_product_kernels<T>().dot(a.data, from, s.k);
    } else {
      std::fill(sums, sums + s.m * group, 0.0f);
      row_product_kernels<T>().products({a.data, s.m, a.step, from, group, s.ldb, s.k, sums});
    }
  }

  void by_columns() const {
    const int64_t most = s.m == 1 ? 1 : group_for(s.k);
    const int64_t parts = std::clamp<int64_t>(s.k * s.n / kSharedWork, 1, num_threads());
    const int64_t grain = ((s.n + parts - 1) / parts + kGroup - 1) / kGroup * kGroup;
    parallel_for(0, s.n, grain, [&](int64_t begin, int64_t end) {
      float sums[kFewRows * kGroup];
      for (int64_t j = begin; j < end; j += most) {
        const int64_t group = std::min(most, end - j);
        multiply_group(j, group, sums);
        for (int64_t i = 0; i < s.m; ++i) {
          for (int64_t q = 0; q < group; ++q) put(i, j + q, sums[i * group + q]);
        }
      }
    });
  }
};

// C of one column, computed as a row.
GemmShape turned(const GemmShape& s) {
  return {!s.trans_b, !s.trans_a, s.n, s.m, s.k, s.ldb, s.lda, s.m};
}

bool is_column(const GemmShape& s) { return s.n == 1 && s.m > 1 && s.ldc == 1; }

}  // namespace

bool is_few_rows(const GemmShape& s) { return s.m <= kFewRows || is_column(s); }

template <typename T>
void multiply_few_rows(const GemmShape& s, float alpha, const T* a, const T* b, float beta, T* c) {
  if (is_column(s)) return multiply_few_rows(turned(s), alpha, b, a, beta, c);
  const Rows rows = rows_of(s, a);
  const Product<T> product{s, alpha, beta, rows, b, c};
  s.trans_b ? product.by_columns() : product.by_rows();
}

template void multiply_few_rows(const GemmShape&, float, const float*, const float*, float, float*);
template void multiply_few_rows(const GemmShape&, float, const float16*, const float16*, float,
                                float16*);
template void multiply_few_rows(const GemmShape&, float, const bfloat16*, const bfloat16*, float,
                                bfloat16*);

}  // namespace paddle::cpu

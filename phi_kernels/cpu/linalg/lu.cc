// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What LU factorisation gives: the factors themselves, inverses, determinants, solutions.
#include <cmath>
#include <cstring>
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

template <typename T>
void copy_matrix(const T* from, T* to, int64_t n) {
  std::memcpy(static_cast<void*>(to), from, sizeof(T) * static_cast<size_t>(n));
}

// The factors of a small matrix cost less than a call of the library: columns of n <= kSmall, by
// elimination with the largest pivots, numbered from 1. Returns the number of the first zero pivot.
constexpr int kSmall = 8;

template <typename T>
__attribute__((noinline)) int factor_small(int n, T* a, int* pivots) {
  int info = 0;
  for (int k = 0; k < n; ++k) {
    T* column = a + k * n;
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[best])) best = i;
    }
    pivots[k] = best + 1;
    if (column[best] == T(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    if (best != k) {
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + best]);
    }
    const T factor = T(1) / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= factor;
    for (int j = k + 1; j < n; ++j) {
      const T top = a[j * n + k];
      for (int i = k + 1; i < n; ++i) a[j * n + i] -= column[i] * top;
    }
  }
  return info;
}

template <typename T>
int factor(int n, T* a, int* pivots) {
  if constexpr (!kIsComplex<T>) {
    if (n <= kSmall) return factor_small(n, a, pivots);
  }
  return lapack<T>().getrf(kColumnMajor, n, n, a, n, pivots);
}

// The inverse from the factors of a small matrix, in its place: L U X = P, column by column.
template <typename T>
__attribute__((noinline)) void invert_small(int n, T* a, const int* pivots) {
  T inverse[kSmall * kSmall];
  int row[kSmall];
  for (int i = 0; i < n; ++i) row[i] = i;
  for (int i = 0; i < n; ++i) std::swap(row[i], row[pivots[i] - 1]);
  for (int i = 0; i < n; ++i) {
    T* x = inverse + row[i] * n;  // the column whose one stands in row i after the exchanges
    std::fill(x, x + n, T(0));
    x[i] = T(1);
    for (int k = i; k < n; ++k) {
      for (int j = k + 1; j < n; ++j) x[j] -= a[k * n + j] * x[k];
    }
    for (int k = n; k-- > 0;) {
      x[k] /= a[k * n + k];
      for (int j = 0; j < k; ++j) x[j] -= a[k * n + j] * x[k];
    }
  }
  std::copy(inverse, inverse + n * n, a);
}

template <typename T>
struct Lu {
  // arguments: x, pivot; results: factors, pivots (from 1), infos
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    const int64_t k = std::min(m.rows, m.columns);
    T* out = c.out_data<T>(0);
    int *pivots = c.out_data<int>(1), *infos = c.out_data<int>(2);
    if (c.in(0).numel == 0) {
      std::fill(infos, infos + c.out(2).numel, 0);
      return;
    }
    const T* x = c.in_data<T>(0);
    for_each_matrix(m.count, m.size() * k, [&](int64_t begin, int64_t end) {
      std::vector<T> a(static_cast<size_t>(m.size()));
      for (int64_t i = begin; i < end; ++i) {
        transpose_into(x + i * m.size(), m.rows, m.columns, a.data());
        infos[i] = lapack<T>().getrf(kColumnMajor, int(m.rows), int(m.columns), a.data(),
                                     int(m.rows), pivots + i * k);
        transpose_into(a.data(), m.columns, m.rows, out + i * m.size());
      }
    });
  }
};

template <typename T>
struct Inverse {
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    if (c.in(0).numel == 0) return;
    const int n = static_cast<int>(m.rows);
    const T* x = c.in_data<T>(0);
    T* out = c.out_data<T>(0);
    const auto& l = lapack<T>();
    for_each_matrix(m.count, m.rows * m.size() * 2, [&](int64_t begin, int64_t end) {
      std::vector<int> pivots(static_cast<size_t>(n));
      T size{};
      l.getri(kColumnMajor, n, out, n, pivots.data(), &size, -1);
      std::vector<T> work(static_cast<size_t>(workspace_size(size)));
      for (int64_t i = begin; i < end; ++i) {
        T* a = out + i * m.size();
        copy_matrix(x + i * m.size(), a, m.size());
        const int info = factor(n, a, pivots.data());
        PADDLE_CHECK_VALUE(info == 0, "inverse: pivot ", info, " of matrix ", i,
                           " of x is 0; x must be invertible; use paddle.linalg.pinv.");
        if constexpr (!kIsComplex<T>) {
          if (n <= kSmall) {
            invert_small(n, a, pivots.data());
            continue;
          }
        }
        l.getri(kColumnMajor, n, a, n, pivots.data(), work.data(), int(work.size()));
      }
    });
  }
};

// Calls body(matrix index, factors of the transposed matrix, their sign).
template <typename T, typename Body>
void factor_all(const T* x, const MatrixBatch& m, Body body) {
  const int n = static_cast<int>(m.rows);
  for_each_matrix(m.count, m.rows * m.size() * 2 / 3, [&](int64_t begin, int64_t end) {
    std::vector<T> a(static_cast<size_t>(m.size()));
    std::vector<int> pivots(static_cast<size_t>(n));
    for (int64_t i = begin; i < end; ++i) {
      bool odd = false;
      if (n > 0) {
        copy_matrix(x + i * m.size(), a.data(), m.size());
        factor(n, a.data(), pivots.data());
        for (int j = 0; j < n; ++j) odd ^= pivots[static_cast<size_t>(j)] != j + 1;
      }
      body(i, a.data(), odd ? T(-1) : T(1));
    }
  });
}

template <typename T>
struct Det {
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    T* out = c.out_data<T>(0);
    factor_all(c.in_data<T>(0), m, [&](int64_t i, const T* a, T sign) {
      T product = sign;
      for (int64_t j = 0; j < m.rows; ++j) product *= a[j * (m.rows + 1)];
      out[i] = product;
    });
  }
};

template <typename T>
struct Slogdet {
  // result: [2, ...], the signs and then the logarithms
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    T* out = c.out_data<T>(0);
    factor_all(c.in_data<T>(0), m, [&](int64_t i, const T* a, T sign) {
      Real<T> logarithm = 0;
      for (int64_t j = 0; j < m.rows; ++j) {
        const T pivot = a[j * (m.rows + 1)];
        const Real<T> size = std::abs(pivot);
        logarithm += std::log(size);
        sign *= size == 0 ? T(0) : pivot / size;
      }
      out[i] = sign;
      out[m.count + i] = T(logarithm);
    });
  }
};

template <typename T>
struct Solve {
  // arguments: x [..., n, n], y [..., n, k] or vectors; batch dimensions broadcast
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    const int64_t numel = c.out(0).numel;
    if (numel == 0) return;
    const Shape &a_shape = c.in(0).shape, &y_shape = c.in(1).shape;
    const bool vectors =
        y_shape.size() == 1 || (y_shape.size() + 1 == a_shape.size() &&
                                std::equal(y_shape.begin(), y_shape.end(), a_shape.begin()));
    const size_t tail = vectors ? 1 : 2;
    const int n = int(m.rows), k = vectors ? 1 : int(c.out(0).shape.back().value());
    const int64_t size = int64_t{n} * k;
    const Shape batch = batch_of(c.out(0), tail);
    const BatchOffset at_x(batch_of(c.in(0), 2), batch, m.size());
    const BatchOffset at_y(batch_of(c.in(1), tail), batch, size);
    const T *x = c.in_data<T>(0), *y = c.in_data<T>(1);
    T* out = c.out_data<T>(0);
    const auto& l = lapack<T>();
    for_each_matrix(numel / size, m.size() * (n + k), [&](int64_t begin, int64_t end) {
      std::vector<T> a(static_cast<size_t>(m.size())), right(static_cast<size_t>(size));
      std::vector<int> pivots(static_cast<size_t>(n));
      int64_t factored = -1;
      for (int64_t i = begin; i < end; ++i) {
        if (const int64_t at = at_x(i); at != factored) {
          copy_matrix(x + at, a.data(), m.size());
          const int info = factor(n, a.data(), pivots.data());
          PADDLE_CHECK_VALUE(info == 0, "solve: pivot ", info, " of matrix ", i,
                             " of x is 0; x must be invertible; use paddle.linalg.lstsq.");
          factored = at;
        }
        transpose_into(y + at_y(i), n, k, right.data());
        l.getrs(kColumnMajor, 'T', n, k, a.data(), n, pivots.data(), right.data(), n);
        transpose_into(right.data(), k, n, out + i * size);
      }
    });
  }
};

template <typename T>
struct LuSolve {
  // arguments: b [..., n, k], lu [..., n, n], pivots [..., n], trans; batch dimensions broadcast
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(1)), b = matrices_of(c.out(0));
    if (c.out(0).numel == 0) return;
    const int n = static_cast<int>(m.rows), k = static_cast<int>(b.columns);
    const char trans = c.text(3)[0];
    const T *y = c.in_data<T>(0), *lu = c.in_data<T>(1);
    const int* pivots = c.in_data<int>(2);
    for (int64_t i = 0; i < c.in(2).numel; ++i) {
      PADDLE_CHECK_VALUE(pivots[i] >= 1 && pivots[i] <= n, "lu_solve: pivots holds ", pivots[i],
                         "; every pivot must be in [1, ", n, "]; pass what lu returned.");
    }
    const Shape batch = batch_of(c.out(0), 2);
    const BatchOffset at_b(batch_of(c.in(0), 2), batch, b.size());
    const BatchOffset at_lu(batch_of(c.in(1), 2), batch, m.size());
    const BatchOffset at_pivots(batch_of(c.in(2), 1), batch, n);
    T* out = c.out_data<T>(0);
    for_each_matrix(b.count, m.rows * b.size() * 2, [&](int64_t begin, int64_t end) {
      std::vector<T> a(static_cast<size_t>(m.size())), right(static_cast<size_t>(b.size()));
      for (int64_t i = begin; i < end; ++i) {
        transpose_into(lu + at_lu(i), n, n, a.data());
        transpose_into(y + at_b(i), n, k, right.data());
        lapack<T>().getrs(kColumnMajor, trans, n, k, a.data(), n, pivots + at_pivots(i),
                          right.data(), n);
        transpose_into(right.data(), k, n, out + i * b.size());
      }
    });
  }
};

}  // namespace

void register_lu_cpu(Registry& r) {
  register_lapack<Lu>(r, "lu");
  register_lapack<Inverse>(r, "inverse");
  register_lapack<Det>(r, "det");
  register_lapack<Slogdet>(r, "slogdet");
  register_lapack<Solve>(r, "solve");
  register_lapack<LuSolve>(r, "lu_solve");
}

}  // namespace paddle::cpu

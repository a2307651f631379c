// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cholesky factors, and solutions with them.
#include <cstring>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

// Zeroes what the factorisation leaves of the other triangle.
template <typename T>
void clear_triangle(T* a, int64_t n, bool upper) {
  for (int64_t i = 0; i < n; ++i) {
    if (upper) {
      std::fill(a + i * n, a + i * n + i, T());
    } else {
      std::fill(a + i * n + i + 1, a + (i + 1) * n, T());
    }
  }
}

template <typename T>
struct Cholesky {
  // arguments: x, upper
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    if (c.in(0).numel == 0) return;
    const int n = static_cast<int>(m.rows);
    const bool upper = c.b(1);
    const T* x = c.in_data<T>(0);
    T* out = c.out_data<T>(0);
    for_each_matrix(m.count, m.rows * m.size() / 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* a = out + i * m.size();
        std::memcpy(static_cast<void*>(a), x + i * m.size(), sizeof(T) * size_t(m.size()));
        const int info = lapack<T>().potrf(kColumnMajor, upper ? 'L' : 'U', n, a, n);
        PADDLE_CHECK_VALUE(info == 0, "cholesky: the leading minor of order ", info, " of matrix ",
                           i,
                           " of x is not positive; x must be positive definite; add a small "
                           "multiple of the identity.");
        clear_triangle(a, m.rows, upper);
      }
    });
  }
};

template <typename T>
struct TriangularSolve {
  // arguments: x (triangular), y, upper, transpose, unitriangular
  static void run(KernelContext& c) {
    const MatrixBatch b = matrices_of(c.out(0));
    if (c.out(0).numel == 0) return;
    const Shape batch = batch_of(c.out(0), 2);
    const BatchOffset at_x(batch_of(c.in(0), 2), batch, b.rows * b.rows);
    const BatchOffset at_y(batch_of(c.in(1), 2), batch, b.size());
    const int n = static_cast<int>(b.rows), k = static_cast<int>(b.columns);
    const int part = c.b(2) ? kUpper : kLower, unit = c.b(4) ? kUnit : kNonUnit;
    const int trans = !c.b(3) ? kNoTrans : kTrans;
    const T *x = c.in_data<T>(0), *y = c.in_data<T>(1);
    T* out = c.out_data<T>(0);
    for_each_matrix(b.count, b.rows * b.size(), [&](int64_t begin, int64_t end) {
      const T one = T(1);
      for (int64_t i = begin; i < end; ++i) {
        T* to = out + i * b.size();
        std::memcpy(static_cast<void*>(to), y + at_y(i), sizeof(T) * size_t(b.size()));
        if constexpr (kIsComplex<T>) {
          lapack<T>().trsm(kRowMajor, kLeft, part, trans, unit, n, k, &one, x + at_x(i), n, to, k);
        } else {
          lapack<T>().trsm(kRowMajor, kLeft, part, trans, unit, n, k, one, x + at_x(i), n, to, k);
        }
      }
    });
  }
};

}  // namespace

void register_cholesky_cpu(Registry& r) {
  register_lapack<Cholesky>(r, "cholesky");
  register_lapack<TriangularSolve>(r, "triangular_solve");
}

}  // namespace paddle::cpu

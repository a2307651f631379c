// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Permutation, lower and upper factor from packed LU factors.
#include <numeric>
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

template <typename T>
struct LuUnpack {
  // arguments: x, y (pivots), unpack_ludata, unpack_pivots; results: p, l, u
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    const int64_t k = std::min(m.rows, m.columns);
    if (c.b(3) && c.out(0).numel) permutations(c, m, k);
    if (!c.b(2)) return;
    const T* x = c.in_data<T>(0);
    T *l = c.out_data<T>(1), *u = c.out_data<T>(2);
    for (int64_t i = 0; i < m.count; ++i, x += m.size(), l += m.rows * k, u += k * m.columns) {
      for (int64_t row = 0; row < m.rows; ++row) {
        for (int64_t j = 0; j < k; ++j) {
          l[row * k + j] = j < row ? x[row * m.columns + j] : T(j == row);
        }
      }
      for (int64_t row = 0; row < k; ++row) {
        for (int64_t j = 0; j < m.columns; ++j) {
          u[row * m.columns + j] = j < row ? T() : x[row * m.columns + j];
        }
      }
    }
  }
  static void permutations(KernelContext& c, const MatrixBatch& m, int64_t k) {
    const int* pivots = c.in_data<int>(1);
    T* p = c.out_data<T>(0);
    std::fill(p, p + c.out(0).numel, T());
    std::vector<int64_t> order(static_cast<size_t>(m.rows));
    for (int64_t i = 0; i < m.count; ++i, p += m.rows * m.rows) {
      std::iota(order.begin(), order.end(), int64_t{0});
      for (int64_t j = 0; j < k; ++j) {
        const int pivot = pivots[i * k + j];
        PADDLE_CHECK_VALUE(pivot >= 1 && pivot <= m.rows, "lu_unpack: y holds ", pivot,
                           "; every pivot must be in [1, ", m.rows, "]; pass what lu returned.");
        std::swap(order[size_t(j)], order[size_t(pivot - 1)]);
      }
      for (int64_t j = 0; j < m.rows; ++j) p[order[size_t(j)] * m.rows + j] = T(1);
    }
  }
};

}  // namespace

void register_lu_unpack_cpu(Registry& r) { register_lapack<LuUnpack>(r, "lu_unpack"); }

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Orthogonal factors: QR and products of Householder reflectors.
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

// a, column-major [m, columns], becomes the first `columns` columns of Q.
template <typename T>
void make_q(T* a, int m, int columns, int reflectors, const T* tau) {
  const auto& l = lapack<T>();
  T size{};
  l.orgqr(kColumnMajor, m, columns, reflectors, a, m, tau, &size, -1);
  std::vector<T> work(static_cast<size_t>(workspace_size(size)));
  l.orgqr(kColumnMajor, m, columns, reflectors, a, m, tau, work.data(), int(work.size()));
}

template <typename T>
struct Qr {
  // arguments: x, mode; results: q (empty with mode "r"), r
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0)), r = matrices_of(c.out(1));
    const bool wants_q = c.text(1) != "r";
    if (c.in(0).numel == 0) return fill_empty(c, wants_q);
    const int rows = int(m.rows), columns = int(m.columns), k = std::min(rows, columns);
    const int q_columns = c.text(1) == "complete" ? rows : k;
    const T* x = c.in_data<T>(0);
    T *q = wants_q ? c.out_data<T>(0) : nullptr, *upper = c.out_data<T>(1);
    const auto& l = lapack<T>();
    for_each_matrix(m.count, m.size() * k * 2, [&](int64_t begin, int64_t end) {
      std::vector<T> a(static_cast<size_t>(rows) * size_t(std::max(columns, q_columns)));
      std::vector<T> tau(static_cast<size_t>(k));
      T size{};
      l.geqrf(kColumnMajor, rows, columns, a.data(), rows, tau.data(), &size, -1);
      std::vector<T> work(static_cast<size_t>(workspace_size(size)));
      for (int64_t i = begin; i < end; ++i) {
        transpose_into(x + i * m.size(), m.rows, m.columns, a.data());
        l.geqrf(kColumnMajor, rows, columns, a.data(), rows, tau.data(), work.data(),
                int(work.size()));
        T* to = upper + i * r.size();
        for (int64_t s = 0; s < r.rows; ++s) {
          for (int64_t t = 0; t < r.columns; ++t) {
            to[s * r.columns + t] = t < s ? T() : a[static_cast<size_t>(t * rows + s)];
          }
        }
        if (!wants_q) continue;
        make_q(a.data(), rows, q_columns, k, tau.data());
        transpose_into(a.data(), q_columns, m.rows, q + i * m.rows * q_columns);
      }
    });
  }
  // Q of a matrix without columns is the identity.
  static void fill_empty(KernelContext& c, bool wants_q) {
    if (!wants_q || c.out(0).numel == 0) return;
    const MatrixBatch q = matrices_of(c.out(0));
    T* to = c.out_data<T>(0);
    std::fill(to, to + c.out(0).numel, T());
    for (int64_t i = 0; i < q.count; ++i) {
      for (int64_t j = 0; j < std::min(q.rows, q.columns); ++j)
        to[i * q.size() + j * (q.columns + 1)] = T(1);
    }
  }
};

template <typename T>
struct HouseholderProduct {
  // arguments: x [..., m, n], tau [..., k]
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    if (c.in(0).numel == 0) return;
    const int64_t k = c.in(1).shape.back().value();
    const T *x = c.in_data<T>(0), *tau = c.in_data<T>(1);
    T* out = c.out_data<T>(0);
    for_each_matrix(m.count, m.size() * k * 2, [&](int64_t begin, int64_t end) {
      std::vector<T> a(static_cast<size_t>(m.size()));
      for (int64_t i = begin; i < end; ++i) {
        transpose_into(x + i * m.size(), m.rows, m.columns, a.data());
        make_q(a.data(), int(m.rows), int(m.columns), int(k), tau + i * k);
        transpose_into(a.data(), m.columns, m.rows, out + i * m.size());
      }
    });
  }
};

}  // namespace

void register_qr_cpu(Registry& r) {
  register_lapack<Qr>(r, "qr");
  register_lapack<HouseholderProduct>(r, "householder_product");
}

}  // namespace paddle::cpu

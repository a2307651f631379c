// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Singular values and vectors, by divide and conquer.
#include <cstring>
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

template <typename T>
using RealGesdd = int (*)(int, char, int, int, T*, int, T*, T*, int, T*, int, T*, int, int*);
template <typename T>
using ComplexGesdd = int (*)(int, char, int, int, T*, int, Real<T>*, T*, int, T*, int, T*, int,
                             Real<T>*, int*);

// The decomposition of column-major matrices [m, n] one after the other, with one workspace.
template <typename T>
class Gesdd {
 public:
  Gesdd(char job, int m, int n) : job_(job), m_(m), n_(n), k_(std::min(m, n)) {
    const int64_t k = k_, large = std::max(m, n);
    indices_.resize(static_cast<size_t>(8 * k));
    // Sufficient for every job, by the documentation of cgesdd.
    if (kIsComplex<T>)
      reals_.resize(size_t(std::max(5 * k * k + 5 * k, 2 * large * k + 2 * k * k + k)));
    T size{};
    call(nullptr, nullptr, nullptr, nullptr, &size, -1);
    work_.resize(static_cast<size_t>(workspace_size(size)));
  }
  // Destroys a. u has m rows; vt has n or min(m, n) rows.
  int operator()(T* a, Real<T>* s, T* u, T* vt) {
    return call(a, s, u, vt, work_.data(), int(work_.size()));
  }

 private:
  int call(T* a, Real<T>* s, T* u, T* vt, T* work, int size) {
    const int ldvt = job_ == 'A' ? n_ : k_;
    if constexpr (kIsComplex<T>) {
      return reinterpret_cast<ComplexGesdd<T>>(lapack<T>().gesdd)(kColumnMajor, job_, m_, n_, a, m_,
                                                                  s, u, m_, vt, ldvt, work, size,
                                                                  reals_.data(), indices_.data());
    } else {
      return reinterpret_cast<RealGesdd<T>>(lapack<T>().gesdd)(
          kColumnMajor, job_, m_, n_, a, m_, s, u, m_, vt, ldvt, work, size, indices_.data());
    }
  }
  char job_;
  int m_, n_, k_;
  std::vector<T> work_;
  std::vector<Real<T>> reals_;
  std::vector<int> indices_;
};

// The library sees x transposed: with x = U S Vh its first factor is Vh and its second U, both as
// we store them.
template <typename T>
void decompose(const KernelContext& c, char job, T* u, Real<T>* s, T* vh) {
  const MatrixBatch m = matrices_of(c.in(0));
  const int64_t k = std::min(m.rows, m.columns);
  const int64_t u_size = m.rows * (job == 'A' ? m.rows : k);
  const int64_t v_size = m.columns * (job == 'A' ? m.columns : k);
  const T* x = c.in_data<T>(0);
  for_each_matrix(m.count, m.size() * k * 8, [&](int64_t begin, int64_t end) {
    Gesdd<T> gesdd(job, int(m.columns), int(m.rows));
    std::vector<T> a(static_cast<size_t>(m.size()));
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(static_cast<void*>(a.data()), x + i * m.size(), sizeof(T) * size_t(m.size()));
      const int info = all_finite(a) ? gesdd(a.data(), s + i * k, vh ? vh + i * v_size : nullptr,
                                             u ? u + i * u_size : nullptr)
                                     : 1;
      PADDLE_CHECK_VALUE(info == 0, c.op().name(), ": matrix ", i,
                         " of x has no singular values within the limit of iterations; it must "
                         "not hold NaN or inf; check its elements.");
    }
  });
}

template <typename T>
void fill_identity(TensorImpl& t) {
  const MatrixBatch m = matrices_of(t);
  T* to = static_cast<T*>(t.data());
  std::fill(to, to + t.numel, T());
  for (int64_t i = 0; i < m.count; ++i) {
    for (int64_t j = 0; j < std::min(m.rows, m.columns); ++j)
      to[i * m.size() + j * (m.columns + 1)] = T(1);
  }
}

template <typename T>
struct Svd {
  // arguments: x, full_matrices; results: u, s, vh
  static void run(KernelContext& c) {
    if (c.in(0).numel == 0) {
      if (c.out(0).numel) fill_identity<T>(c.out(0));
      if (c.out(2).numel) fill_identity<T>(c.out(2));
      return;
    }
    decompose(c, c.b(1) ? 'A' : 'S', c.out_data<T>(0), c.out_data<Real<T>>(1), c.out_data<T>(2));
  }
};

template <typename T>
struct Svdvals {
  static void run(KernelContext& c) {
    if (c.out(0).numel == 0) return;
    decompose<T>(c, 'N', nullptr, c.out_data<Real<T>>(0), nullptr);
  }
};

}  // namespace

void register_svd_cpu(Registry& r) {
  register_lapack<Svd>(r, "svd");
  register_lapack<Svdvals>(r, "svdvals");
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues and eigenvectors of Hermitian and of general square matrices.
#include <cstring>
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

template <typename T>
T conjugate(T v) {
  if constexpr (kIsComplex<T>) return std::conj(v);
  return v;
}

template <typename T>
using RealSyevd = int (*)(int, char, char, int, T*, int, T*, T*, int, int*, int);
template <typename T>
using ComplexHeevd = int (*)(int, char, char, int, T*, int, Real<T>*, T*, int, Real<T>*, int, int*,
                             int);

template <typename T>
class Syevd {
 public:
  Syevd(char job, char part, int n) : job_(job), part_(part), n_(n), work_(1), reals_(1), ints_(1) {
    call(nullptr, nullptr, -1);
    const int work = workspace_size(work_[0]), reals = workspace_size(reals_[0]);
    const int ints = std::max(1, ints_[0]);
    work_.resize(static_cast<size_t>(work));
    reals_.resize(static_cast<size_t>(reals));
    ints_.resize(static_cast<size_t>(ints));
  }
  int operator()(T* a, Real<T>* w) { return call(a, w, 0); }

 private:
  int call(T* a, Real<T>* w, int query) {
    const auto size = [&](const auto& v) { return query ? query : static_cast<int>(v.size()); };
    if constexpr (kIsComplex<T>) {
      return reinterpret_cast<ComplexHeevd<T>>(lapack<T>().syevd)(
          kColumnMajor, job_, part_, n_, a, n_, w, work_.data(), size(work_), reals_.data(),
          size(reals_), ints_.data(), size(ints_));
    } else {
      return reinterpret_cast<RealSyevd<T>>(lapack<T>().syevd)(kColumnMajor, job_, part_, n_, a, n_,
                                                               w, work_.data(), size(work_),
                                                               ints_.data(), size(ints_));
    }
  }
  char job_, part_;
  int n_;
  std::vector<T> work_;
  std::vector<Real<T>> reals_;
  std::vector<int> ints_;
};

// vectors may be null. The library sees conj(x), whose vectors are the conjugate ones.
template <typename T>
void hermitian(const KernelContext& c, std::string_view part, Real<T>* values, T* vectors) {
  const MatrixBatch m = matrices_of(c.in(0));
  if (c.in(0).numel == 0) return;
  const int64_t n = m.rows;
  const T* x = c.in_data<T>(0);
  const char other = part == "L" ? 'U' : 'L';
  for_each_matrix(m.count, n * m.size() * 4, [&](int64_t begin, int64_t end) {
    Syevd<T> syevd(vectors ? 'V' : 'N', other, int(n));
    std::vector<T> a(static_cast<size_t>(m.size()));
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(static_cast<void*>(a.data()), x + i * m.size(), sizeof(T) * size_t(m.size()));
      const int info = all_finite(a) ? syevd(a.data(), values + i * n) : 1;
      PADDLE_CHECK_VALUE(info == 0, c.op().name(), ": matrix ", i,
                         " of x has no eigenvalues within the limit of iterations; it must not "
                         "hold NaN or inf; check its elements.");
      if (!vectors) continue;
      T* to = vectors + i * m.size();
      transpose_into(a.data(), n, n, to);
      if constexpr (kIsComplex<T>) {
        for (int64_t j = 0; j < m.size(); ++j) to[j] = conjugate(to[j]);
      }
    }
  });
}

template <typename T>
struct Eigh {
  // arguments: x, UPLO; results: values, vectors
  static void run(KernelContext& c) {
    hermitian<T>(c, c.text(1), c.out_data<Real<T>>(0), c.out_data<T>(1));
  }
};

template <typename T>
struct Eigvalsh {
  static void run(KernelContext& c) { hermitian<T>(c, c.text(1), c.out_data<Real<T>>(0), nullptr); }
};

template <typename T>
using RealGeev = int (*)(int, char, char, int, T*, int, T*, T*, T*, int, T*, int, T*, int);
template <typename T>
using ComplexGeev = int (*)(int, char, char, int, T*, int, T*, T*, int, T*, int, T*, int, Real<T>*);

template <typename T>
class Geev {
 public:
  Geev(bool vectors, int n)
      : job_(vectors ? 'V' : 'N'), n_(n), work_(1), real_(size_t(2 * n)), imag_(size_t(n)) {
    T* none = nullptr;
    call(none, nullptr, none, -1);
    work_.resize(static_cast<size_t>(workspace_size(work_[0])));
    if (vectors && !kIsComplex<T>) pairs_.resize(size_t(n) * size_t(n));
  }
  // Destroys a. vectors: column-major.
  int operator()(T* a, Complex<T>* values, Complex<T>* vectors) {
    if constexpr (kIsComplex<T>) {
      return call(a, values, vectors, int(work_.size()));
    } else {
      const int info = call(a, values, pairs_.data(), int(work_.size()));
      for (int j = 0; j < n_; ++j) values[j] = {real_[size_t(j)], imag_[size_t(j)]};
      if (vectors) unpack(vectors);
      return info;
    }
  }

 private:
  template <typename V>
  int call(T* a, Complex<T>* values, V* vectors, int size) {
    if constexpr (kIsComplex<T>) {
      return reinterpret_cast<ComplexGeev<T>>(lapack<T>().geev)(kColumnMajor, 'N', job_, n_, a, n_,
                                                                values, nullptr, 1, vectors, n_,
                                                                work_.data(), size, real_.data());
    } else {
      return reinterpret_cast<RealGeev<T>>(lapack<T>().geev)(kColumnMajor, 'N', job_, n_, a, n_,
                                                             real_.data(), imag_.data(), nullptr, 1,
                                                             vectors, n_, work_.data(), size);
    }
  }
  // A conjugate pair of values has its vectors as (re, im) in two columns.
  void unpack(Complex<T>* to) {
    const size_t n = size_t(n_);
    for (size_t j = 0; j < n; ++j) {
      const T* re = reinterpret_cast<const T*>(pairs_.data()) + j * n;
      for (size_t i = 0; i < n; ++i) {
        if (imag_[j] == 0) {
          to[j * n + i] = re[i];
        } else {
          to[j * n + i] = Complex<T>(std::real(re[i]), std::real(re[n + i]));
          to[(j + 1) * n + i] = std::conj(to[j * n + i]);
        }
      }
      if (imag_[j] != 0) ++j;
    }
  }
  char job_;
  int n_;
  std::vector<T> work_;
  std::vector<Real<T>> real_, imag_;
  std::vector<T> pairs_;
};

// vectors may be null.
template <typename T>
void general(const KernelContext& c, Complex<T>* values, Complex<T>* vectors) {
  const MatrixBatch m = matrices_of(c.in(0));
  if (c.in(0).numel == 0) return;
  const int64_t n = m.rows;
  const T* x = c.in_data<T>(0);
  for_each_matrix(m.count, n * m.size() * 20, [&](int64_t begin, int64_t end) {
    Geev<T> geev(vectors != nullptr, int(n));
    std::vector<T> a(static_cast<size_t>(m.size()));
    std::vector<Complex<T>> v(vectors ? static_cast<size_t>(m.size()) : 0);
    for (int64_t i = begin; i < end; ++i) {
      transpose_into(x + i * m.size(), n, n, a.data());
      const int info =
          all_finite(a) ? geev(a.data(), values + i * n, vectors ? v.data() : nullptr) : 1;
      PADDLE_CHECK_VALUE(info == 0, c.op().name(), ": matrix ", i,
                         " of x has no eigenvalues within the limit of iterations; it must not "
                         "hold NaN or inf; check its elements.");
      if (vectors) transpose_into(v.data(), n, n, vectors + i * m.size());
    }
  });
}

template <typename T>
struct Eig {
  static void run(KernelContext& c) {
    general<T>(c, c.out_data<Complex<T>>(0), c.out_data<Complex<T>>(1));
  }
};

template <typename T>
struct Eigvals {
  static void run(KernelContext& c) { general<T>(c, c.out_data<Complex<T>>(0), nullptr); }
};

}  // namespace

void register_eigen_cpu(Registry& r) {
  register_lapack<Eigh>(r, "eigh");
  register_lapack<Eigvalsh>(r, "eigvalsh");
  register_lapack<Eig>(r, "eig");
  register_lapack<Eigvals>(r, "eigvals");
}

}  // namespace paddle::cpu

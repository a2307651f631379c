// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Least squares with LAPACK's four drivers: gels (full rank, by QR or LQ), gelsy (rank by pivoted
// QR), gelsd and gelss (by singular values).
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

template <typename T>
using RealGelsy = int (*)(int, int, int, int, T*, int, T*, int, int*, T, int*, T*, int);
template <typename T>
using ComplexGelsy = int (*)(int, int, int, int, T*, int, T*, int, int*, Real<T>, int*, T*, int,
                             Real<T>*);
template <typename T>
using RealGelss = int (*)(int, int, int, int, T*, int, T*, int, T*, T, int*, T*, int);
template <typename T>
using ComplexGelss = int (*)(int, int, int, int, T*, int, T*, int, Real<T>*, Real<T>, int*, T*, int,
                             Real<T>*);
template <typename T>
using RealGelsd = int (*)(int, int, int, int, T*, int, T*, int, T*, T, int*, T*, int, int*);
template <typename T>
using ComplexGelsd = int (*)(int, int, int, int, T*, int, T*, int, Real<T>*, Real<T>, int*, T*, int,
                             Real<T>*, int*);

// One driver with its workspaces, for column-major a [m, n] and b [max(m, n), k].
template <typename T>
class Driver {
 public:
  Driver(std::string_view name, int m, int n, int k, double rcond)
      : name_(name), m_(m), n_(n), k_(k), rcond_(static_cast<Real<T>>(rcond)), work_(1) {
    const size_t small = size_t(std::min(m, n)), large = size_t(std::max(m, n));
    values_.resize(small);
    // Above what the documentation of gelsd asks for with its smallest block of 25.
    const size_t levels = 32;
    ints_.resize(std::max(size_t(n), 3 * small * levels + 11 * small) + 1);
    reals_.resize(10 * large + 52 * small + 8 * small * levels + 3 * 25 * size_t(k) +
                  std::max<size_t>(26 * 26, size_t(n) * (1 + size_t(k)) + 2 * size_t(k)) + 1);
    int rank = 0;
    call(nullptr, nullptr, &rank, -1);
    work_.resize(static_cast<size_t>(workspace_size(work_[0])));
  }
  int operator()(T* a, T* b, int* rank) {
    std::fill(ints_.begin(), ints_.end(), 0);
    *rank = std::min(m_, n_);
    return call(a, b, rank, int(work_.size()));
  }
  const std::vector<Real<T>>& values() const { return values_; }

 private:
  template <typename RealFn, typename ComplexFn, typename... Tail>
  int solve(void* fn, T* a, T* b, auto* middle, int* rank, int size, Tail... tail) {
    const int ldb = std::max(m_, n_);
    if constexpr (kIsComplex<T>) {
      return reinterpret_cast<ComplexFn>(fn)(kColumnMajor, m_, n_, k_, a, m_, b, ldb, middle,
                                             rcond_, rank, work_.data(), size, reals_.data(),
                                             tail...);
    } else {
      return reinterpret_cast<RealFn>(fn)(kColumnMajor, m_, n_, k_, a, m_, b, ldb, middle, rcond_,
                                          rank, work_.data(), size, tail...);
    }
  }
  int call(T* a, T* b, int* rank, int size) {
    const auto& l = lapack<T>();
    if (name_ == "gels") {
      return l.gels(kColumnMajor, 'N', m_, n_, k_, a, m_, b, std::max(m_, n_), work_.data(), size);
    }
    if (name_ == "gelsy") {
      return solve<RealGelsy<T>, ComplexGelsy<T>>(l.gelsy, a, b, ints_.data(), rank, size);
    }
    if (name_ == "gelss") {
      return solve<RealGelss<T>, ComplexGelss<T>>(l.gelss, a, b, values_.data(), rank, size);
    }
    return solve<RealGelsd<T>, ComplexGelsd<T>>(l.gelsd, a, b, values_.data(), rank, size,
                                                ints_.data());
  }
  std::string_view name_;
  int m_, n_, k_;
  Real<T> rcond_;
  std::vector<T> work_;
  std::vector<Real<T>> values_, reals_;
  std::vector<int> ints_;
};

// Sums over the rows of |y - x s|^2, one per column.
template <typename T>
void residuals(const T* x, const T* y, const T* s, int64_t m, int64_t n, int64_t k, Real<T>* out) {
  std::fill(out, out + k, Real<T>(0));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < k; ++j) {
      T rest = y[i * k + j];
      for (int64_t p = 0; p < n; ++p) rest -= x[i * n + p] * s[p * k + j];
      out[j] += std::norm(rest);
    }
  }
}

template <typename T>
struct Lstsq {
  // arguments: x, y, rcond, driver; results: solution, residuals, rank, singular values
  static void run(KernelContext& c) {
    const MatrixBatch x = matrices_of(c.in(0)), out = matrices_of(c.out(0));
    const int m = int(x.rows), n = int(x.columns), k = int(out.columns);
    const int right = std::max(k, 1);  // the drivers leave the singular values out without any
    const int small = std::min(m, n), large = std::max(m, n);
    T* to = c.out_data<T>(0);
    int* ranks = c.out_data<int>(2);
    std::fill(to, to + c.out(0).numel, T());
    std::fill(ranks, ranks + c.out(2).numel, 0);
    if (out.count == 0) return;
    Real<T>* left = c.out(1).numel ? c.out_data<Real<T>>(1) : nullptr;
    Real<T>* values = c.out(3).numel ? c.out_data<Real<T>>(3) : nullptr;
    const Shape batch = batch_of(c.out(0), 2);
    const BatchOffset at_x(batch_of(c.in(0), 2), batch, x.size());
    const BatchOffset at_y(batch_of(c.in(1), 2), batch, int64_t{m} * k);
    const T *from = c.in_data<T>(0), *y = c.in_data<T>(1);
    const double rcond = c.scalar(2).to_double();
    if (x.size() == 0) {
      for (int64_t i = 0; left && i < out.count; ++i) {
        residuals<T>(nullptr, y + at_y(i), nullptr, m, 0, k, left + i * k);
      }
      return;
    }
    for_each_matrix(out.count, x.size() * (small * 4 + k), [&](int64_t begin, int64_t end) {
      Driver<T> driver(c.text(3), m, n, right, rcond);
      std::vector<T> a(static_cast<size_t>(x.size())), b(size_t(large) * size_t(right));
      for (int64_t i = begin; i < end; ++i) {
        transpose_into(from + at_x(i), m, n, a.data());
        for (int64_t row = 0; row < m; ++row) {
          for (int64_t j = 0; j < k; ++j) b[size_t(j * large + row)] = y[at_y(i) + row * k + j];
        }
        PADDLE_CHECK_VALUE(all_finite(a) && all_finite(b), "lstsq: matrix ", i,
                           " of x or y holds NaN or inf; check its elements.");
        const int info = driver(a.data(), b.data(), ranks + i);
        PADDLE_CHECK_VALUE(info == 0, "lstsq: matrix ", i,
                           " of x has no solution with this driver (code ", info,
                           "); x must have full rank for 'gels'; use driver='gelsd'.");
        T* solution = to + i * out.size();
        for (int64_t row = 0; row < n; ++row) {
          for (int64_t j = 0; j < k; ++j) solution[row * k + j] = b[size_t(j * large + row)];
        }
        if (values) std::copy(driver.values().begin(), driver.values().end(), values + i * small);
        if (left) residuals(from + at_x(i), y + at_y(i), solution, m, n, k, left + i * k);
      }
    });
  }
};

}  // namespace

void register_lstsq_cpu(Registry& r) { register_lapack<Lstsq>(r, "lstsq"); }

}  // namespace paddle::cpu

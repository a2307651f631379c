// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The matrix exponential: N. J. Higham, "The scaling and squaring method for the matrix exponential
// revisited" (2005), with the approximant of degree 13.
#include <cmath>
#include <vector>

#include "phi_kernels/cpu/libraries/lapack.h"

namespace paddle::cpu {
namespace {

// Below this 1-norm the approximant is accurate to double precision.
constexpr double kLargestNorm = 5.371920351148152;
constexpr double kPade[] = {64764752532480000.0,
                            32382376266240000.0,
                            7771770303897600.0,
                            1187353796428800.0,
                            129060195264000.0,
                            10559470521600.0,
                            670442572800.0,
                            33522128640.0,
                            1323241920.0,
                            40840800.0,
                            960960.0,
                            16380.0,
                            182.0,
                            1.0};

template <typename T>
class Exponential {
 public:
  explicit Exponential(int n) : n_(n), size_(size_t(n) * size_t(n)), pivots_(size_t(n)) {
    for (auto* m : {&a_, &a2_, &a4_, &a6_, &u_, &v_, &spare_}) m->resize(size_);
  }
  // The order of storage does not matter: exp(x^T) = exp(x)^T.
  void operator()(const T* x, T* out) {
    const int halvings = scale(x);
    product(a_, a_, a2_);
    product(a2_, a2_, a4_);
    product(a4_, a2_, a6_);
    half(13, spare_, u_);
    product(a_, spare_, u_);
    half(12, v_, spare_);
    for (size_t i = 0; i < size_; ++i) {
      a_[i] = v_[i] - u_[i];
      v_[i] += u_[i];
    }
    const auto& l = lapack<T>();
    l.getrf(kColumnMajor, n_, n_, a_.data(), n_, pivots_.data());
    l.getrs(kColumnMajor, 'N', n_, n_, a_.data(), n_, pivots_.data(), v_.data(), n_);
    for (int i = 0; i < halvings; ++i) {
      product(v_, v_, u_);
      v_.swap(u_);
    }
    std::copy(v_.begin(), v_.end(), out);
  }

 private:
  int scale(const T* x) {
    double norm = 0;
    for (int j = 0; j < n_; ++j) {
      double sum = 0;
      for (int i = 0; i < n_; ++i) sum += std::abs(x[j * n_ + i]);
      norm = std::max(norm, sum);
    }
    int halvings = 0;
    if (std::isfinite(norm) && norm > kLargestNorm)
      halvings = static_cast<int>(std::ceil(std::log2(norm / kLargestNorm)));
    const Real<T> factor = static_cast<Real<T>>(std::ldexp(1.0, -halvings));
    for (size_t i = 0; i < size_; ++i) a_[i] = x[i] * factor;
    return halvings;
  }
  void product(const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c) {
    const T one = T(1), zero = T(0);
    if constexpr (kIsComplex<T>) {
      lapack<T>().gemm(kColumnMajor, kNoTrans, kNoTrans, n_, n_, n_, &one, a.data(), n_, b.data(),
                       n_, &zero, c.data(), n_);
    } else {
      lapack<T>().gemm(kColumnMajor, kNoTrans, kNoTrans, n_, n_, n_, one, a.data(), n_, b.data(),
                       n_, zero, c.data(), n_);
    }
  }
  // out = A6 (p13 A6 + p11 A4 + p9 A2) + p7 A6 + p5 A4 + p3 A2 + p1 I for top = 13, and the even
  // coefficients for top = 12. Overwrites `room`.
  void half(int top, std::vector<T>& out, std::vector<T>& room) {
    const auto p = [&](int down) { return static_cast<Real<T>>(kPade[top - down]); };
    for (size_t i = 0; i < size_; ++i) room[i] = a6_[i] * p(0) + a4_[i] * p(2) + a2_[i] * p(4);
    product(a6_, room, out);
    for (size_t i = 0; i < size_; ++i) out[i] += a6_[i] * p(6) + a4_[i] * p(8) + a2_[i] * p(10);
    for (size_t i = 0; i < size_; i += size_t(n_) + 1) out[i] += p(12);
  }
  int n_;
  size_t size_;
  std::vector<int> pivots_;
  std::vector<T> a_, a2_, a4_, a6_, u_, v_, spare_;
};

template <typename T>
struct MatrixExp {
  static void run(KernelContext& c) {
    const MatrixBatch m = matrices_of(c.in(0));
    if (c.in(0).numel == 0) return;
    const T* x = c.in_data<T>(0);
    T* out = c.out_data<T>(0);
    for_each_matrix(m.count, m.rows * m.size() * 8, [&](int64_t begin, int64_t end) {
      Exponential<T> exponential(int(m.rows));
      for (int64_t i = begin; i < end; ++i) exponential(x + i * m.size(), out + i * m.size());
    });
  }
};

}  // namespace

void register_matrix_exp_cpu(Registry& r) { register_lapack<MatrixExp>(r, "matrix_exp"); }

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// LAPACK and BLAS of OpenBLAS, opened at the first use (libpaddle_linalg.so beside libpaddle_core),
// so that programs without linear algebra neither load nor need it. Functions are those of
// LAPACKE's `_work` interface, always with kColumnMajor: our row-major matrix is the library's
// transposed one, which most kernels use as it stands.
//
// Threads: for_each_matrix() runs a batch on our threads with one library thread each, and hands a
// single large matrix to all threads of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {

inline constexpr int kRowMajor = 101, kColumnMajor = 102;
inline constexpr int kNoTrans = 111, kTrans = 112, kConjTrans = 113;
inline constexpr int kUpper = 121, kLower = 122, kNonUnit = 131, kUnit = 132;
inline constexpr int kLeft = 141;

template <typename T>
struct RealOf {
  using type = T;
};
template <typename R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;
template <typename T>
using Complex = std::complex<Real<T>>;
// BLAS takes complex factors by address.
template <typename T>
using Factor = std::conditional_t<kIsComplex<T>, const void*, T>;

// LAPACK's iterations need not end, nor stay within their arrays, on NaN and inf.
template <typename T>
bool all_finite(const std::vector<T>& a) {
  return std::all_of(a.begin(), a.end(), [](T v) { return std::isfinite(std::abs(v)); });
}

// The functions of one element type. Real and complex versions differ in their workspaces, so some
// are typed by their users: see gesdd and its neighbours.
template <typename T>
struct Lapack {
  int (*potrf)(int, char, int, T*, int);
  int (*geqrf)(int, int, int, T*, int, T*, T*, int);
  int (*orgqr)(int, int, int, int, T*, int, const T*, T*, int);
  int (*getrf)(int, int, int, T*, int, int*);
  int (*getri)(int, int, T*, int, const int*, T*, int);
  int (*getrs)(int, char, int, int, const T*, int, const int*, T*, int);
  int (*gels)(int, char, int, int, int, T*, int, T*, int, T*, int);
  void (*gemm)(int, int, int, int, int, int, Factor<T>, const T*, int, const T*, int, Factor<T>, T*,
               int);
  void (*trsm)(int, int, int, int, int, int, int, Factor<T>, const T*, int, T*, int);
  void *gesdd, *syevd, *geev, *gelsd, *gelss, *gelsy;
};

// RuntimeError when the library cannot be opened.
template <typename T>
const Lapack<T>& lapack();

// While it lives: `all` gives this thread the library's own threads (one owner at a time), else the
// library computes on the calling thread.
class LibraryThreadScope {
 public:
  explicit LibraryThreadScope(bool all);
  ~LibraryThreadScope();
  LibraryThreadScope(const LibraryThreadScope&) = delete;
  LibraryThreadScope& operator=(const LibraryThreadScope&) = delete;

 private:
  bool all_;
};

// body(begin, end) over matrices [0, count); `work` is about the multiply-adds of one matrix.
template <typename Body>
void for_each_matrix(int64_t count, int64_t work, Body&& body) {
  constexpr int64_t kLarge = 2000000, kGrain = 50000;
  const bool alone = count < num_threads() && work > kLarge && !must_run_serially();
  const LibraryThreadScope scope(alone);
  if (alone) {
    body(int64_t{0}, count);
  } else {
    parallel_for(0, count, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, work)), body);
  }
}

// The stored matrices of a tensor: [..., rows, columns].
struct MatrixBatch {
  int64_t count = 1, rows = 0, columns = 0;
  int64_t size() const { return rows * columns; }
};

inline MatrixBatch matrices_of(const TensorImpl& t) {
  MatrixBatch m;
  const size_t rank = t.shape.size();
  m.rows = t.shape[rank - 2].value();
  m.columns = t.shape[rank - 1].value();
  for (size_t i = 0; i + 2 < rank; ++i) m.count *= t.shape[i].value();
  PADDLE_CHECK_VALUE(std::max(m.rows, m.columns) < (int64_t{1} << 31),
                     "linear algebra: a matrix has ", m.rows, " rows and ", m.columns,
                     " columns; the library takes sizes below 2^31.");
  return m;
}

inline Shape batch_of(const TensorImpl& t, size_t without) {
  return Shape(t.shape.begin(), t.shape.end() - static_cast<int64_t>(without));
}

// Where matrix `index` of a batch of extents `out` stands in a tensor whose extents `own` broadcast
// to them and whose matrices have `size` elements.
class BatchOffset {
 public:
  BatchOffset(const Shape& own, const Shape& out, int64_t size) : size_(size) {
    const size_t rank = out.size();
    extents_.resize(rank, 1);
    strides_.resize(rank, 0);
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0;) {
      extents_[d] = out[d].value();
      if (d + own.size() < rank) continue;
      const int64_t n = own[d + own.size() - rank].value();
      if (n != 1) strides_[d] = stride;
      stride *= n;
    }
  }
  int64_t operator()(int64_t index) const {
    int64_t at = 0;
    for (size_t d = extents_.size(); d-- > 0;) {
      at += index % extents_[d] * strides_[d];
      index /= extents_[d];
    }
    return at * size_;
  }

 private:
  int64_t size_;
  SmallVector<int64_t, 5> extents_, strides_;
};

// to[j, i] = from[i, j] for a row-major matrix of rows x columns, in cache-sized tiles.
template <typename T>
void transpose_into(const T* from, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t kTile = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
    const int64_t i1 = std::min(rows, i0 + kTile);
    for (int64_t j0 = 0; j0 < columns; j0 += kTile) {
      const int64_t j1 = std::min(columns, j0 + kTile);
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) to[j * rows + i] = from[i * columns + j];
      }
    }
  }
}

// Size of the workspace that a query call wrote into its first element.
template <typename T>
int workspace_size(const T& answer) {
  return std::max(1, static_cast<int>(std::real(answer)));
}

// Registers K<T>::run for the four element types of LAPACK.
template <template <typename> class K>
void register_lapack(Registry& r, const char* op) {
  r.kernel(op, DeviceKind::kCpu, {DType::kFloat32}, K<float>::run);
  r.kernel(op, DeviceKind::kCpu, {DType::kFloat64}, K<double>::run);
  r.kernel(op, DeviceKind::kCpu, {DType::kComplex64}, K<std::complex<float>>::run);
  r.kernel(op, DeviceKind::kCpu, {DType::kComplex128}, K<std::complex<double>>::run);
}

}  // namespace paddle::cpu

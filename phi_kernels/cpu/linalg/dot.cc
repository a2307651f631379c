// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Inner products of vectors, and of each pair of rows of two matrices. Blocks that fit the
// first-level cache are summed in vectors; the sums of blocks are added in double precision.
#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/row_products.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 1024;

template <typename T>
T dot_block(const T* a, const T* b, int64_t n) {
  constexpr int64_t kLanes = 8;
  T sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) sums[l] += a[i + l] * b[i + l];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return std::accumulate(sums, sums + kLanes, T{});
}

template <>
float dot_block(const float* a, const float* b, int64_t n) {
  float sum = 0;
  row_product_kernels<float>().products({a, 1, n, b, 1, n, n, &sum});
  return sum;
}

// What a block is computed in: complex numbers have no vector code, so double costs them nothing.
template <typename T>
struct BlockType {
  using type = ArithmeticType<T>;
};
template <>
struct BlockType<std::complex<float>> {
  using type = std::complex<double>;
};

template <typename T>
typename SumTypes<T>::Wide dot_range(const T* a, const T* b, int64_t n) {
  using Block = typename BlockType<T>::type;
  typename SumTypes<T>::Wide sum{};
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    if constexpr (std::is_same_v<T, Block>) {
      sum += dot_block(a + i, b + i, count);
    } else {
      Block x[kBlock], y[kBlock];
      std::transform(a + i, a + i + count, x, [](T v) { return static_cast<Block>(v); });
      std::transform(b + i, b + i + count, y, [](T v) { return static_cast<Block>(v); });
      sum += dot_block(x, y, count);
    }
  }
  return sum;
}

template <typename T>
void dot_kernel(KernelContext& k) {
  using Sum = typename SumTypes<T>::Wide;
  constexpr int64_t kPart = 32 * kBlock;  // of a row; sums do not depend on the threads
  const TensorImpl& x = k.in(0);
  const int64_t rows = k.out(0).numel, n = rows == 0 ? 0 : x.numel / rows;
  const int64_t parts = std::max<int64_t>(1, (n + kPart - 1) / kPart);
  const T *a = k.in_data<T>(0), *b = k.in_data<T>(1);
  std::vector<Sum> sums(static_cast<size_t>(rows * parts));
  parallel_for(0, rows * parts, std::max<int64_t>(1, kPart / std::max<int64_t>(1, n)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t u = begin; u < end; ++u) {
                   const int64_t from = u % parts * kPart, at = u / parts * n + from;
                   sums[static_cast<size_t>(u)] =
                       dot_range(a + at, b + at, std::min(kPart, n - from));
                 }
               });
  for (int64_t r = 0; r < rows; ++r) {
    const auto first = sums.begin() + r * parts;
    k.out_data<T>(0)[r] = static_cast<T>(std::accumulate(first, first + parts, Sum{}));
  }
}

}  // namespace

void register_dot_cpu(Registry& r) {
#define PADDLE_KERNEL(T, name) r.kernel("dot", DeviceKind::kCpu, {DType::name}, dot_kernel<T>);
  PADDLE_KERNEL(float, kFloat32)
  PADDLE_KERNEL(double, kFloat64)
  PADDLE_KERNEL(float16, kFloat16)
  PADDLE_KERNEL(bfloat16, kBFloat16)
  PADDLE_KERNEL(uint8_t, kUInt8)
  PADDLE_KERNEL(int8_t, kInt8)
  PADDLE_KERNEL(int16_t, kInt16)
  PADDLE_KERNEL(int32_t, kInt32)
  PADDLE_KERNEL(int64_t, kInt64)
  PADDLE_KERNEL(std::complex<float>, kComplex64)
  PADDLE_KERNEL(std::complex<double>, kComplex128)
#undef PADDLE_KERNEL
}

}  // namespace paddle::cpu

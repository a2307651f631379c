// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/reduce.h"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "paddle_core/base/error.h"

namespace paddle::distributed {
namespace {

template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
// Sixteen- and eight-bit floats are classes, which compute in float.
template <typename T>
inline constexpr bool kIsSmallFloat = !std::is_arithmetic_v<T> && !kIsComplex<T>;
template <typename T>
using Wide = std::conditional_t<kIsSmallFloat<T>, float, T>;

constexpr int64_t kBlock = 1024;  // elements that stay in the cache while all parts are added

template <typename T, typename Combine>
void reduce_with(const void* const* parts, size_t num_parts, T* out, int64_t count, bool mean,
                 Combine&& combine) {
  Wide<T> sum[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    for (size_t k = 0; k < num_parts; ++k) {
      const T* const part = static_cast<const T*>(parts[k]) + begin;
      if (k == 0) {
        for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<Wide<T>>(part[i]);
      } else {
        for (int64_t i = 0; i < n; ++i) sum[i] = combine(sum[i], static_cast<Wide<T>>(part[i]));
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (!std::is_integral_v<T>) {
        if (mean) sum[i] = sum[i] / static_cast<Wide<T>>(static_cast<float>(num_parts));
      }
      out[begin + i] = static_cast<T>(sum[i]);
    }
  }
}

template <typename T>
void reduce_typed(const void* const* parts, size_t num_parts, void* result, int64_t count,
                  ReduceKind kind) {
  using W = Wide<T>;
  T* const out = static_cast<T*>(result);
  const auto run = [&](auto&& combine) {
    reduce_with<T>(parts, num_parts, out, count, kind == ReduceKind::kAvg, combine);
  };
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kAvg:
      return run([](W a, W b) { return static_cast<W>(a + b); });
    case ReduceKind::kProd:
      return run([](W a, W b) { return static_cast<W>(a * b); });
    case ReduceKind::kMax:
      if constexpr (!kIsComplex<T>) return run([](W a, W b) { return b > a || b != b ? b : a; });
      break;
    case ReduceKind::kMin:
      if constexpr (!kIsComplex<T>) return run([](W a, W b) { return b < a || b != b ? b : a; });
      break;
    case ReduceKind::kAny:
      return run([](W a, W b) { return static_cast<W>(a != W(0) || b != W(0)); });
    case ReduceKind::kAll:
      return run([](W a, W b) { return static_cast<W>(a != W(0) && b != W(0)); });
  }
}

bool has(DType dtype, ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kMax:
    case ReduceKind::kMin:
      return !is_complex(dtype);
    case ReduceKind::kAvg:
      return is_floating(dtype) || is_complex(dtype);
    default:
      return true;
  }
}

}  // namespace

void check_reduction(const char* what, DType dtype, ReduceKind kind) {
  PADDLE_CHECK_TYPE(has(dtype, kind), what, ": tensors of dtype ", dtype, " have no reduction ",
                    name_of(kind), "; cast them to a dtype that has it.");
}

void reduce_in_order(const void* const* parts, size_t num_parts, void* out, int64_t count,
                     DType dtype, ReduceKind kind) {
  switch (dtype) {
#define PADDLE_REDUCE(T, name) \
  case DType::name:            \
    return reduce_typed<T>(parts, num_parts, out, count, kind);
    PADDLE_FOR_ALL_DTYPES(PADDLE_REDUCE)
#undef PADDLE_REDUCE
    case DType::kUndefined:
      break;
  }
}

}  // namespace paddle::distributed

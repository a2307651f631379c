// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Element by element of three tensors, with broadcasting: where and lerp; and equal_all of two.
#include <algorithm>
#include <atomic>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrain = 65536;

Strides strides_in(const TensorImpl& t, const Shape& out) {
  Strides strides(out.size(), 0);
  const size_t extra = out.size() - t.shape.size();
  for (size_t d = 0; d < t.shape.size(); ++d) {
    if (!(t.shape[d] == Dim(1))) strides[d + extra] = t.strides[d];
  }
  return strides;
}

// out = F(first, second, third), which broadcast to its shape.
template <typename A, typename T, auto F>
__attribute__((target("avx2"), noinline)) void dense_row(const A* c, const T* x, const T* y, T* o,
                                                         int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = F(c[i], x[i], y[i]);
}

constexpr int64_t kRun = 128;

// Of operands whose steps are 0 or 1: those of step 0 are laid out for a run at a time.
template <typename A, typename T, auto F>
void repeated_row(const A* c, int64_t ic, const T* x, int64_t ix, const T* y, int64_t iy, T* o,
                  int64_t n) {
  A cs[kRun];
  T xs[kRun], ys[kRun];
  if (ic == 0) std::fill(cs, cs + kRun, *c);
  if (ix == 0) std::fill(xs, xs + kRun, *x);
  if (iy == 0) std::fill(ys, ys + kRun, *y);
  for (int64_t j = 0; j < n; j += kRun) {
    dense_row<A, T, F>(ic ? c + j : cs, ix ? x + j : xs, iy ? y + j : ys, o + j,
                       std::min(kRun, n - j));
  }
}

template <typename A, typename T, auto F>
void ternary(KernelContext& k, const A* c, const T* x, const T* y, T* o) {
  const TensorImpl& out = k.out(0);
  const auto whole = [&](int i) { return k.in(i).contiguous && k.in(i).shape == out.shape; };
  if (whole(0) && whole(1) && whole(2)) {
    parallel_for(0, out.numel, kGrain, [&](int64_t b, int64_t e) {
      dense_row<A, T, F>(c + b, x + b, y + b, o + b, e - b);
    });
    return;
  }
  const size_t rank = out.shape.size();
  const Strides sc = strides_in(k.in(0), out.shape), sx = strides_in(k.in(1), out.shape),
                sy = strides_in(k.in(2), out.shape);
  const int64_t n = rank ? out.shape.back().value() : 1;
  const int64_t ic = rank ? sc.back() : 0, ix = rank ? sx.back() : 0, iy = rank ? sy.back() : 0;
  parallel_for(0, out.numel / n, std::max<int64_t>(1, kGrain / n), [&](int64_t b, int64_t e) {
    for (int64_t row = b; row < e; ++row) {
      int64_t rest = row, ac = 0, ax = 0, ay = 0;
      for (size_t d = rank ? rank - 1 : 0; d-- > 0;) {
        const int64_t size = out.shape[d].value(), i = rest % size;
        rest /= size;
        ac += i * sc[d], ax += i * sx[d], ay += i * sy[d];
      }
      T* to = o + row * n;
      if (ic == 1 && ix == 1 && iy == 1) {
        dense_row<A, T, F>(c + ac, x + ax, y + ay, to, n);
        continue;
      }
      if (n > kRun && ic + ix + iy <= 2 && ic <= 1 && ix <= 1 && iy <= 1) {
        repeated_row<A, T, F>(c + ac, ic, x + ax, ix, y + ay, iy, to, n);
        continue;
      }
      for (int64_t j = 0; j < n; ++j) to[j] = F(c[ac + j * ic], x[ax + j * ix], y[ay + j * iy]);
    }
  });
}

struct Bytes16 {
  uint64_t words[2];
};

// A choice among bits, which no processor has to predict. U is an unsigned type of T's size.
template <typename U>
void where_kernel(KernelContext& k) {
  if (k.out(0).numel == 0) return;
  const auto at = [&](const TensorImpl& t) { return static_cast<const U*>(t.data()); };
  const bool* c = k.in_data<bool>(0);
  U* o = static_cast<U*>(k.out(0).data());
  if constexpr (std::is_integral_v<U>) {
    ternary<uint8_t, U, [](uint8_t f, U x, U y) {
      const U mask = static_cast<U>(U(0) - static_cast<U>(f));
      return static_cast<U>(y ^ ((x ^ y) & mask));
    }>(k, reinterpret_cast<const uint8_t*>(c), at(k.in(1)), at(k.in(2)), o);
  } else {
    ternary<bool, U, [](bool f, U x, U y) { return f ? x : y; }>(k, c, at(k.in(1)), at(k.in(2)), o);
  }
}

template <typename T>
void lerp_kernel(KernelContext& k) {
  if (k.out(0).numel == 0) return;
  ternary<T, T, [](T x, T y, T w) { return x + w * (y - x); }>(k, k.in_data<T>(0), k.in_data<T>(1),
                                                               k.in_data<T>(2), k.out_data<T>(0));
}

template <typename T>
bool all_equal(const T* x, const T* y, int64_t n) {
  int64_t differ = 0;
  for (int64_t i = 0; i < n; ++i) differ += x[i] == y[i] ? 0 : 1;
  return differ == 0;
}

// In blocks: the first that differs ends it.
template <typename T>
void equal_all_kernel(KernelContext& k) {
  const TensorImpl &x = k.in(0), &y = k.in(1);
  constexpr int64_t kBlock = 16384;
  std::atomic<bool> same = x.shape == y.shape;
  if (same && x.numel > 0) {
    const T *a = k.in_data<T>(0), *b = k.in_data<T>(1);
    const int64_t n = x.numel, blocks = (n + kBlock - 1) / kBlock;
    if (!all_equal(a, b, std::min<int64_t>(n, 256))) same = false;  // most differ at once
    parallel_for(0, same ? blocks : 0, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * kBlock; i < std::min(n, end * kBlock) && same; i += kBlock) {
        if (!all_equal(a + i, b + i, std::min(kBlock, n - i))) same = false;
      }
    });
  }
  *k.out_data<bool>(0) = same;
}

KernelFn where_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return where_kernel<uint8_t>;
    case 2:
      return where_kernel<uint16_t>;
    case 4:
      return where_kernel<uint32_t>;
    case 8:
      return where_kernel<uint64_t>;
    default:
      return where_kernel<Bytes16>;
  }
}

}  // namespace

void register_where_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name) \
  r.kernel("where", DeviceKind::kCpu, {DType::name}, where_of(sizeof(T)), /*strided=*/true);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
  const auto equal_all = [&](DType t, KernelFn fn) {
    r.kernel("equal_all", DeviceKind::kCpu, {t}, fn);
  };
  equal_all(DType::kBool, equal_all_kernel<uint8_t>);
  equal_all(DType::kUInt8, equal_all_kernel<uint8_t>);
  equal_all(DType::kInt8, equal_all_kernel<int8_t>);
  equal_all(DType::kInt16, equal_all_kernel<int16_t>);
  equal_all(DType::kInt32, equal_all_kernel<int32_t>);
  equal_all(DType::kInt64, equal_all_kernel<int64_t>);
  equal_all(DType::kFloat32, equal_all_kernel<float>);
  equal_all(DType::kFloat64, equal_all_kernel<double>);
  r.kernel("lerp", DeviceKind::kCpu, {DType::kFloat32}, lerp_kernel<float>, true);
  r.kernel("lerp", DeviceKind::kCpu, {DType::kFloat64}, lerp_kernel<double>, true);
}

}  // namespace paddle::cpu

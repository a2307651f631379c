// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Element by element of three tensors, with broadcasting: where, masked_fill and lerp; and
// equal_all of two.
#include <algorithm>
#include <atomic>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/loops.h"

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
constexpr int64_t kShortRow = 16;

// Of operands whose steps are 0 or 1: those of step 0 are laid out for a run at a time.
template <typename A, typename T, auto F>
void repeated_row(const A* c, int64_t ic, const T* x, int64_t ix, const T* y, int64_t iy, T* o,
                  int64_t n) {
  A cs[kRun];
  T xs[kRun], ys[kRun];
  const int64_t most = std::min(kRun, n);
  if (ic == 0) std::fill(cs, cs + most, *c);
  if (ix == 0) std::fill(xs, xs + most, *x);
  if (iy == 0) std::fill(ys, ys + most, *y);
  for (int64_t j = 0; j < n; j += kRun) {
    dense_row<A, T, F>(ic ? c + j : cs, ix ? x + j : xs, iy ? y + j : ys, o + j,
                       std::min(kRun, n - j));
  }
}

struct Operands {
  const TensorImpl *first, *second, *third;
};

// masked_fill in place may give an output of any strides.
template <typename A, typename T, auto F>
void ternary(const Operands& in, const TensorImpl& out) {
  const A* c = static_cast<const A*>(in.first->data());
  const T* x = static_cast<const T*>(in.second->data());
  const T* y = static_cast<const T*>(in.third->data());
  T* o = static_cast<T*>(out.data());
  // The step of an operand that lies as the output or is one number; -1 for others.
  const auto step = [&](const TensorImpl& t) -> int64_t {
    return t.contiguous && t.shape == out.shape ? 1 : t.numel == 1 ? 0 : -1;
  };
  const int64_t c1 = step(*in.first), x1 = step(*in.second), y1 = step(*in.third);
  if (c1 >= 0 && x1 >= 0 && y1 >= 0 && out.contiguous) {
    parallel_for(0, out.numel, kGrain, [&](int64_t b, int64_t e) {
      if (c1 + x1 + y1 == 3) return dense_row<A, T, F>(c + b, x + b, y + b, o + b, e - b);
      repeated_row<A, T, F>(c + b * c1, c1, x + b * x1, x1, y + b * y1, y1, o + b, e - b);
    });
    return;
  }
  const size_t rank = out.shape.size();
  const Strides sc = strides_in(*in.first, out.shape), sx = strides_in(*in.second, out.shape),
                sy = strides_in(*in.third, out.shape);
  const int64_t n = rank ? out.shape.back().value() : 1;
  const int64_t ic = rank ? sc.back() : 0, ix = rank ? sx.back() : 0, iy = rank ? sy.back() : 0;
  const int64_t io = n > 1 ? out.strides.back() : 1;
  parallel_for(0, out.numel / n, std::max<int64_t>(1, kGrain / n), [&](int64_t b, int64_t e) {
    for (int64_t row = b; row < e; ++row) {
      int64_t rest = row, ac = 0, ax = 0, ay = 0, ao = 0;
      for (size_t d = rank ? rank - 1 : 0; d-- > 0;) {
        const int64_t size = out.shape[d].value(), i = rest % size;
        rest /= size;
        ac += i * sc[d], ax += i * sx[d], ay += i * sy[d], ao += i * out.strides[d];
      }
      T* to = o + ao;
      if (ic == 1 && ix == 1 && iy == 1 && io == 1) {
        dense_row<A, T, F>(c + ac, x + ax, y + ay, to, n);
      } else if (n >= kShortRow && ic + ix + iy <= 2 && ic <= 1 && ix <= 1 && iy <= 1 && io == 1) {
        repeated_row<A, T, F>(c + ac, ic, x + ax, ix, y + ay, iy, to, n);
      } else {
        for (int64_t j = 0; j < n; ++j) {
          to[j * io] = F(c[ac + j * ic], x[ax + j * ix], y[ay + j * iy]);
        }
      }
    }
  });
}

struct Bytes16 {
  uint64_t words[2];
};

// A choice among bits, which no processor has to predict. U is an unsigned type of the values'
// size.
template <typename U>
void choose(const Operands& in, const TensorImpl& out) {
  if (out.numel == 0) return;
  if constexpr (std::is_integral_v<U>) {
    ternary<uint8_t, U, [](uint8_t f, U x, U y) {
      const U mask = static_cast<U>(U(0) - static_cast<U>(f));
      return static_cast<U>(y ^ ((x ^ y) & mask));
    }>(in, out);
  } else {
    ternary<bool, U, [](bool f, U x, U y) { return f ? x : y; }>(in, out);
  }
}

void choose_by_size(const Operands& in, const TensorImpl& out) {
  switch (size_of(out.dtype)) {
    case 1:
      return choose<uint8_t>(in, out);
    case 2:
      return choose<uint16_t>(in, out);
    case 4:
      return choose<uint32_t>(in, out);
    case 8:
      return choose<uint64_t>(in, out);
    default:
      return choose<Bytes16>(in, out);
  }
}

void where_kernel(KernelContext& k) { choose_by_size({&k.in(0), &k.in(1), &k.in(2)}, k.out(0)); }

// arguments: x, mask (where it is not 0), value
void masked_fill_kernel(KernelContext& k) {
  const auto as = [&](int i, DType dtype) {
    const Tensor given(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(&k.in(i))));
    if (given.dtype() == dtype) return given;
    Tensor made = Tensor::empty(given.shape(), dtype);
    made.copy_data_from(given);
    return made;
  };
  const Tensor mask = as(1, DType::kBool), value = as(2, k.out(0).dtype);
  choose_by_size({mask.impl(), value.impl(), &k.in(0)}, k.out(0));
}

template <typename T>
void lerp_kernel(KernelContext& k) {
  if (k.out(0).numel == 0) return;
  ternary<T, T, [](T x, T y, T w) { return x + w * (y - x); }>({&k.in(0), &k.in(1), &k.in(2)},
                                                               k.out(0));
}

// The elements of `from` as those of `to`; both are dense.
void convert_all(const Tensor& from, const Tensor& to) {
  const Convert convert =
      loop_tables.convert[static_cast<int>(from.dtype())][static_cast<int>(to.dtype())];
  const auto* x = static_cast<const char*>(from.raw_data());
  auto* out = static_cast<char*>(to.raw_data());
  const int64_t x_size = static_cast<int64_t>(size_of(from.dtype())),
                out_size = static_cast<int64_t>(size_of(to.dtype()));
  parallel_for(0, to.numel(), 32768, [&](int64_t begin, int64_t end) {
    convert(end - begin, out + begin * out_size, x + begin * x_size, 1);
  });
}

// 16-bit numbers are widened, and rounded once.
void lerp_half_kernel(KernelContext& k) {
  if (k.out(0).numel == 0) return;
  Tensor wide[4];
  for (int i = 0; i < 3; ++i) {
    wide[i] = Tensor::empty(k.in(i).shape, DType::kFloat32);
    convert_all(k.in_tensor(i).contiguous_copy_if_needed(), wide[i]);
  }
  wide[3] = Tensor::empty(k.out(0).shape, DType::kFloat32);
  ternary<float, float, [](float x, float y, float w) { return x + w * (y - x); }>(
      {wide[0].impl(), wide[1].impl(), wide[2].impl()}, *wide[3].impl());
  convert_all(wide[3], Tensor(IntrusivePtr<TensorImpl>::share(&k.out(0))));
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

}  // namespace

void register_where_cpu(Registry& r) {
  init_loop_tables();
#define PADDLE_REGISTER(T, name)                                                      \
  r.kernel("where", DeviceKind::kCpu, {DType::name}, where_kernel, /*strided=*/true); \
  r.kernel("masked_fill", DeviceKind::kCpu, {DType::name}, masked_fill_kernel, true);
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
  r.kernel("lerp", DeviceKind::kCpu, {DType::kFloat16, DType::kBFloat16}, lerp_half_kernel, true);
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel of smooth_product on the CPU: each block of x goes through the basis function in
// first-level cache and is multiplied by all factors before it is written.
#include <string_view>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 1024;

enum class Basis : uint8_t { kPower, kWave, kLogistic, kNormal };

Basis basis_of(std::string_view name) {
  if (name == "power") return Basis::kPower;
  if (name == "wave") return Basis::kWave;
  return name == "logistic" ? Basis::kLogistic : Basis::kNormal;
}

// The blocks of one thread.
template <typename A>
struct Scratch {
  alignas(64) A first[kBlock], second[kBlock];
};

template <typename A>
class Function {
 public:
  Function(std::string_view basis, const Slot& c) : basis_(basis_of(basis)) {
    for (uint32_t k = 0; k < c.count; ++k) c_.push_back(static_cast<A>(c.floats[k]));
  }

  // out = f(x) times all factors; n is at most kBlock.
  void run(const A* x, const std::vector<const A*>& factors, A* out, int64_t n,
           Scratch<A>& s) const {
    const int count = static_cast<int>(factors.size());
    if (basis_ == Basis::kPower) {
      return polynomial(c_.data(), c_.size(), x, factors.data(), count, out, n);
    }
    const A* value = basis_ == Basis::kWave       ? wave(x, n, s)
                     : basis_ == Basis::kLogistic ? logistic(x, n, s)
                                                  : normal(x, n, s);
    constexpr A kSame[] = {0, 1};
    polynomial(kSame, 2, value, factors.data(), count, out, n);
  }

 private:
  static void polynomial(const A* c, size_t count, const A* x, const A* const* factors,
                         int num_factors, A* out, int64_t n) {
    constexpr A kZero = 0;
    rows<A>().polynomial_product(count ? c : &kZero, count ? static_cast<int>(count) : 1, x,
                                 factors, num_factors, out, n);
  }
  static void apply(UnaryOp op, const A* x, A* out, int64_t n, const Params& p = {}) {
    constexpr DType d = DTypeOf<A>::value;
    const void* in[] = {x};
    constexpr int64_t kDense[] = {1};
    loop_tables.unary[op][static_cast<int>(d)].fn(n, out, in, kDense, p);
  }

  const A* wave(const A* x, int64_t n, Scratch<A>& s) const {
    const RowKernels<A>& k = rows<A>();
    const bool has_cos = c_[1] != 0;
    if (has_cos) {
      apply(kCos, x, s.first, n);
      k.scale(s.first, c_[1], s.first, n);
      if (c_[0] == 0) return s.first;
    }
    apply(kSin, x, s.second, n);
    if (!has_cos) {
      k.scale(s.second, c_[0], s.second, n);
      return s.second;
    }
    k.axpy(c_[0], s.second, s.first, n);
    return s.first;
  }

  const A* logistic(const A* x, int64_t n, Scratch<A>& s) const {
    const RowKernels<A>& k = rows<A>();
    const size_t half = c_.size() / 2;
    alignas(64) A sigmoid[kBlock];
    apply(kSigmoid, x, sigmoid, n);
    polynomial(c_.data(), half, sigmoid, nullptr, 0, s.first, n);
    polynomial(c_.data() + half, half, sigmoid, nullptr, 0, s.second, n);
    k.multiply_add(1, x, s.second, s.first, n);
    k.scale(x, -1, s.second, n);  // 1 - s without cancellation
    apply(kSigmoid, s.second, s.second, n);
    const A* slope[] = {sigmoid, s.second};
    constexpr A kSame[] = {0, 1};
    polynomial(kSame, 2, s.first, slope, 2, s.first, n);
    return s.first;
  }

  const A* normal(const A* x, int64_t n, Scratch<A>& s) const {
    const RowKernels<A>& k = rows<A>();
    apply(kSquare, x, s.first, n);
    k.scale(s.first, A(-0.5), s.first, n);
    apply(kExp, s.first, s.first, n);
    polynomial(c_.data() + 1, c_.size() - 1, x, nullptr, 0, s.second, n);
    const A* density[] = {s.first};
    constexpr A kScaled[] = {0, A(0.39894228040143268)};
    polynomial(kScaled, 2, s.second, density, 1, s.first, n);
    if (c_[0] == 0) return s.first;
    k.scale(x, A(0.70710678118654752), s.second, n);
    apply(kErf, s.second, s.second, n);
    k.shift(s.second, 1, s.second, n);
    k.axpy(A(0.5) * c_[0], s.second, s.first, n);
    return s.first;
  }

  Basis basis_;
  std::vector<A> c_;
};

template <typename T>
void smooth_product_kernel(KernelContext& ctx) {
  using A = RowType<T>;
  const Function<A> f(ctx.text(2), ctx.slot(3));
  const std::span<const Tensor> factors = ctx.list(1);
  const T* x = ctx.in_data<T>(0);
  T* out = ctx.out_data<T>(0);
  parallel_for(0, ctx.out(0).numel, 16384, [&](int64_t begin, int64_t end) {
    Scratch<A> scratch;
    std::vector<const A*> rows_of(factors.size());
    std::vector<std::vector<A>> buffers(factors.size() + 2);
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      for (size_t k = 0; k < factors.size(); ++k) {
        rows_of[k] = load_row(factors[k].template data<T>() + i, n, buffers[k]);
      }
      A* row = begin_row(out + i, n, buffers[factors.size() + 1]);
      f.run(load_row(x + i, n, buffers[factors.size()]), rows_of, row, n, scratch);
      store_row(row, out + i, n);
    }
  });
}

template <typename T>
void add(Registry& r) {
  r.kernel("smooth_product", DeviceKind::kCpu, {DTypeOf<T>::value}, smooth_product_kernel<T>);
}

}  // namespace

void register_smooth_product_cpu(Registry& r) {
  add<float>(r);
  add<double>(r);
  add<float16>(r);
  add<bfloat16>(r);
}

}  // namespace paddle::cpu

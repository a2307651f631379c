// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that make tensors: constants, ranges, triangles and random numbers. Element i of a random
// tensor depends on the generator's state and on i only.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <vector>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/random.h"

namespace paddle::cpu {
namespace {

void fill_with(const TensorImpl& out, const Scalar& value) {
  if (out.numel == 0) return;
  alignas(16) char one[16];
  const std::complex<double> z = value.to_complex();
  const int64_t whole = value.is_integral() ? value.to_int() : 0;
  const bool integral = value.is_integral();
  loop_tables.convert[static_cast<int>(integral ? DType::kInt64
                                                : DType::kComplex128)][static_cast<int>(out.dtype)](
      1, one, integral ? static_cast<const void*>(&whole) : static_cast<const void*>(&z), 1);
  fill_pattern(out.data(), one, size_of(out.dtype), out.numel);
}
void full_kernel(KernelContext& ctx) { fill_with(ctx.out(0), ctx.scalar(1)); }

void arange_kernel(KernelContext& ctx) {
  const Scalar start = ctx.scalar(0), step = ctx.scalar(2);
  if (start.is_integral() && step.is_integral()) {
    const int64_t a = start.to_int(), s = step.to_int();
    generate<int64_t>(ctx.out(0), [=](int64_t i) { return a + i * s; });
  } else {
    const double a = start.to_double(), s = step.to_double();
    generate<double>(ctx.out(0), [=](int64_t i) { return a + static_cast<double>(i) * s; });
  }
}
void linspace_kernel(KernelContext& ctx) {
  const double a = ctx.scalar(0).to_double(), b = ctx.scalar(1).to_double();
  const int64_t n = ctx.out(0).numel;
  const double s = n > 1 ? (b - a) / static_cast<double>(n - 1) : 0;
  generate<double>(ctx.out(0), [=](int64_t i) {
    return 2 * i < n ? a + s * static_cast<double>(i) : b - s * static_cast<double>(n - 1 - i);
  });
}
void eye_kernel(KernelContext& ctx) {
  const int64_t columns = ctx.scalar(1).to_int();
  generate<int32_t>(ctx.out(0), [=](int64_t i) { return i / columns == i % columns ? 1 : 0; });
}

template <bool kLower>
void triangle_kernel(KernelContext& ctx) {
  const TensorImpl& out = ctx.out(0);
  if (out.numel == 0) return;
  const size_t rank = out.shape.size();
  const int64_t columns = out.shape[rank - 1].value(), rows = out.shape[rank - 2].value();
  const int64_t k = ctx.i(1), size = static_cast<int64_t>(size_of(out.dtype));
  const char* from = static_cast<const char*>(ctx.in(0).data());
  char* to = static_cast<char*>(out.data());
  parallel_for(
      0, out.numel / columns, std::max<int64_t>(1, 32768 / columns), [&](int64_t b, int64_t e) {
        for (int64_t r = b; r < e; ++r) {
          const int64_t cut = std::clamp<int64_t>(r % rows + k + (kLower ? 1 : 0), 0, columns);
          const int64_t first = kLower ? 0 : cut, last = kLower ? cut : columns;
          char* row = to + r * columns * size;
          std::memset(row, 0, static_cast<size_t>(columns * size));
          std::memcpy(row + first * size, from + (r * columns + first) * size,
                      static_cast<size_t>((last - first) * size));
        }
      });
}

void uniform_kernel(KernelContext& ctx) {
  const double a = ctx.scalar(2).to_double(), b = ctx.scalar(3).to_double();
  const PhiloxState s = seeded(ctx, ctx.i(4));
  if (ctx.out(0).dtype != DType::kFloat32) {
    return generate<double>(ctx.out(0),
                            [=](int64_t i) { return a + (b - a) * unit(bits64(s, i)); });
  }
  // 24 bits: no value rounds up to 1.
  const float lo = static_cast<float>(a), width = static_cast<float>(b - a);
  generate<float>(ctx.out(0), [=](int64_t i) {
    return lo + width * (static_cast<float>(bits64(s, i) >> 40) * 0x1.0p-24f);
  });
}
void gaussian_kernel(KernelContext& ctx) {
  const double mean = ctx.f(1), deviation = ctx.f(2);
  const PhiloxState s = seeded(ctx, ctx.i(3));
  generate<double>(ctx.out(0), [=](int64_t i) {  // Box-Muller
    const double u = 1.0 - unit(bits64(s, 2 * i)), w = unit(bits64(s, 2 * i + 1));
    return mean + deviation * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * w);
  });
}
void randint_kernel(KernelContext& ctx) {
  const int64_t low = ctx.i(0), high = ctx.i(1);
  PADDLE_CHECK_VALUE(low < high, "randint: low is ", low, " and high is ", high,
                     "; low must be less than high; widen the range.");
  const PhiloxState s = ctx.random();
  const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  generate<int64_t>(ctx.out(0), [=](int64_t i) {
    return static_cast<int64_t>(static_cast<uint64_t>(low) + bits64(s, i) % width);
  });
}
void bernoulli_kernel(KernelContext& ctx) {
  const TensorImpl& x = ctx.in(0);
  const Convert read =
      loop_tables.convert[static_cast<int>(x.dtype)][static_cast<int>(DType::kFloat64)];
  const char* from = static_cast<const char*>(x.data());
  const int64_t size = static_cast<int64_t>(size_of(x.dtype));
  const PhiloxState s = ctx.random();
  for (int64_t i = 0; i < x.numel; ++i) {
    double p;
    read(1, &p, from + i * size, 1);
    PADDLE_CHECK_VALUE(p >= 0 && p <= 1, "bernoulli: x has value ", p,
                       "; a probability must lie in [0, 1]; clip x first.");
  }
  generate<int32_t>(ctx.out(0), [=](int64_t i) {
    double p;
    read(1, &p, from + i * size, 1);
    return unit(bits64(s, i)) < p ? 1 : 0;
  });
}
void randperm_kernel(KernelContext& ctx) {
  std::vector<int64_t> order(static_cast<size_t>(ctx.out(0).numel));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[bits64(ctx.random(), static_cast<int64_t>(i - 1)) % i]);
  }
  generate<int64_t>(ctx.out(0), [&](int64_t i) { return order[static_cast<size_t>(i)]; });
}

void dropout_kernel(KernelContext& ctx) {
  const TensorImpl& x = ctx.in(0);
  const double p = ctx.scalar(2).to_double();
  const bool test = ctx.b(3), upscale = ctx.text(4) == "upscale_in_train";
  uint8_t* mask = ctx.out_data<uint8_t>(1);
  int64_t seed = ctx.b(6) ? ctx.i(5) : 0;
  if (ctx.has(1)) seed = ctx.in_tensor(1).item().to_int();
  const PhiloxState s = seeded(ctx, seed);
  const double factor = test       ? (upscale ? 1.0 : 1.0 - p)
                        : !upscale ? 1.0
                        : p < 1    ? 1.0 / (1.0 - p)
                                   : 0.0;
  const uint64_t limit = static_cast<uint64_t>(p * 4294967296.0);
  const Convert read =
      loop_tables.convert[static_cast<int>(x.dtype)][static_cast<int>(DType::kFloat64)];
  const Convert write =
      loop_tables.convert[static_cast<int>(DType::kFloat64)][static_cast<int>(x.dtype)];
  const char* from = static_cast<const char*>(x.data());
  char* to = static_cast<char*>(ctx.out(0).data());
  const int64_t size = static_cast<int64_t>(size_of(x.dtype));
  parallel_for(0, x.numel, 16384, [&](int64_t begin, int64_t end) {  // begin is a multiple of 4
    double block[256];
    for (int64_t i = begin; i < end; i += 256) {
      const int64_t n = std::min<int64_t>(256, end - i);
      read(n, block, from + i * size, 1);
      for (int64_t k = 0; k < n; k += 4) {
        const auto r =
            test ? std::array<uint32_t, 4>{} : philox(s, static_cast<uint64_t>((i + k) / 4));
        for (int64_t j = k; j < std::min(k + 4, n); ++j) {
          const bool keep = test || r[static_cast<size_t>(j - k)] >= limit;
          mask[i + j] = keep;
          block[j] = keep ? block[j] * factor : 0.0;
        }
      }
      write(n, to + i * size, block, 1);
    }
  });
}

}  // namespace

void register_creation_cpu(Registry& r) {
  init_loop_tables();
  const auto add = [&](const char* name, KernelFn fn) {
    r.kernel(
        name, DeviceKind::kCpu,
        {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
         DType::kFloat8E4M3, DType::kFloat8E5M2, DType::kFloat16, DType::kBFloat16, DType::kFloat32,
         DType::kFloat64, DType::kComplex64, DType::kComplex128},
        fn);
  };
  add("full", full_kernel);
  add("full_like", full_kernel);
  add("arange", arange_kernel);
  add("linspace", linspace_kernel);
  add("eye", eye_kernel);
  add("tril", triangle_kernel<true>);
  add("triu", triangle_kernel<false>);
  add("uniform", uniform_kernel);
  add("gaussian", gaussian_kernel);
  add("randint", randint_kernel);
  add("bernoulli", bernoulli_kernel);
  add("randperm", randperm_kernel);
  add("dropout", dropout_kernel);
}

}  // namespace paddle::cpu

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
#include "phi_kernels/cpu/random/random.h"

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
  double a = ctx.scalar(0).to_double(), b = ctx.scalar(1).to_double();
  if (is_integer(ctx.out(0).dtype)) {  // the ends are of the dtype too
    a = std::trunc(a);
    b = std::trunc(b);
  }
  const int64_t n = ctx.out(0).numel;
  const double s = n > 1 ? (b - a) / static_cast<double>(n - 1) : 0;
  generate<double>(ctx.out(0), [=](int64_t i) {
    return 2 * i < n ? a + s * static_cast<double>(i) : b - s * static_cast<double>(n - 1 - i);
  });
}
void eye_kernel(KernelContext& ctx) {
  const int64_t columns = ctx.scalar(1).to_int();
  const TensorImpl& out = ctx.out(0);
  if (out.numel == 0) return;
  std::memset(out.data(), 0, static_cast<size_t>(out.numel) * size_of(out.dtype));
  const Convert convert =
      loop_tables.convert[static_cast<int>(DType::kInt32)][static_cast<int>(out.dtype)];
  const int64_t rows = out.numel / columns, size = static_cast<int64_t>(size_of(out.dtype));
  char* to = static_cast<char*>(out.data());
  const int32_t one = 1;
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    convert(1, to + i * (columns + 1) * size, &one, 1);
  }
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

// arguments: shape, dtype, min, max, seed
void uniform_kernel(KernelContext& ctx) {
  const double low = ctx.scalar(2).to_double(), high = ctx.scalar(3).to_double();
  generate_uniform(ctx.out(0), seeded(ctx, ctx.i(4)), low, high - low);
}
// arguments: shape, mean, std, seed
void gaussian_kernel(KernelContext& ctx) {
  generate_normal(ctx.out(0), seeded(ctx, ctx.i(3)), ctx.f(1), ctx.f(2));
}

// The integer part of bits * width / 2^64.
uint64_t scaled(uint64_t bits, uint64_t width) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * width) >> 64);
}

void randint_kernel(KernelContext& ctx) {
  const int64_t low = ctx.i(0), high = ctx.i(1);
  PADDLE_CHECK_VALUE(low < high, "randint: low is ", low, " and high is ", high,
                     "; low must be less than high; widen the range.");
  const RandomState s = random_state(ctx);
  const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const TensorImpl& out = ctx.out(0);
  if (width > (1u << 20)) {  // 32 bits would favour some values noticeably
    return generate<int64_t>(out, [=](int64_t i) {
      return static_cast<int64_t>(static_cast<uint64_t>(low) + scaled(bits64(s, i), width));
    });
  }
  const Convert convert =
      loop_tables.convert[static_cast<int>(DType::kInt64)][static_cast<int>(out.dtype)];
  char* to = static_cast<char*>(out.data());
  const int64_t size = static_cast<int64_t>(size_of(out.dtype));
  visit_words(out.numel, s, [=](int64_t first, const uint32_t* words, int64_t n) {
    int64_t block[kWords];
    for (int64_t i = 0; i < kWords; ++i) {
      block[i] = low + static_cast<int64_t>((uint64_t{words[i]} * width) >> 32);
    }
    convert(n, to + first * size, block, 1);
  });
}

void bernoulli_kernel(KernelContext& ctx) {
  const TensorImpl &x = ctx.in(0), &out = ctx.out(0);
  const Convert read =
      loop_tables.convert[static_cast<int>(x.dtype)][static_cast<int>(DType::kFloat64)];
  const Convert write =
      loop_tables.convert[static_cast<int>(DType::kFloat64)][static_cast<int>(out.dtype)];
  const char* from = x.numel ? static_cast<const char*>(x.data()) : nullptr;
  char* to = x.numel ? static_cast<char*>(out.data()) : nullptr;
  const int64_t from_size = static_cast<int64_t>(size_of(x.dtype));
  const int64_t to_size = static_cast<int64_t>(size_of(out.dtype));
  visit_words(x.numel, random_state(ctx), [=](int64_t first, const uint32_t* words, int64_t n) {
    double p[kWords];
    read(n, p, from + first * from_size, 1);
    int outside = 0;
    for (int64_t i = 0; i < n; ++i) outside += p[i] >= 0 && p[i] <= 1 ? 0 : 1;
    for (int64_t i = 0; outside > 0 && i < n; ++i) {
      PADDLE_CHECK_VALUE(p[i] >= 0 && p[i] <= 1, "bernoulli: x has value ", p[i],
                         "; a probability must lie in [0, 1]; clip x first.");
    }
    for (int64_t i = 0; i < n; ++i) p[i] = static_cast<double>(words[i]) * 0x1p-32 < p[i] ? 1 : 0;
    write(n, to + first * to_size, p, 1);
  });
}
// Fisher and Yates: the last place gets one of all, the one before it one of the rest.
template <typename T>
void shuffle_into(const TensorImpl& out, RandomState state) {
  const int64_t n = out.numel;
  std::vector<T> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), T(0));
  constexpr int64_t kPairs = kWords / 2;  // numbers of 64 bits in a block
  alignas(64) uint32_t words[kWords];
  for (int64_t i = n - 1, block = -1; i > 0; --i) {
    if (i / kPairs != block) {
      block = i / kPairs;
      random_kernels().words(state, static_cast<uint64_t>(block), words);
    }
    const uint64_t bits = uint64_t{words[2 * (i % kPairs) + 1]} << 32 | words[2 * (i % kPairs)];
    std::swap(order[static_cast<size_t>(i)], order[scaled(bits, static_cast<uint64_t>(i) + 1)]);
  }
  const Convert convert =
      loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(out.dtype)];
  if (n) convert(n, out.data(), order.data(), 1);
}
void randperm_kernel(KernelContext& ctx) {
  const TensorImpl& out = ctx.out(0);
  out.numel < INT32_MAX ? shuffle_into<int32_t>(out, whole_state(ctx))
                        : shuffle_into<int64_t>(out, whole_state(ctx));
}

// Whole blocks in float32; float64 keeps its precision.
void drop_blocks(const TensorImpl& x, const TensorImpl& out, RandomState state, uint32_t limit,
                 float factor, uint8_t* mask) {
  const auto table = [](DType from, DType to) {
    return loop_tables.convert[static_cast<int>(from)][static_cast<int>(to)];
  };
  const bool direct = x.dtype == DType::kFloat32;
  const Convert read = table(x.dtype, DType::kFloat32), write = table(DType::kFloat32, x.dtype);
  const char* from = static_cast<const char*>(x.data());
  char* to = static_cast<char*>(out.data());
  const int64_t size = static_cast<int64_t>(size_of(x.dtype));
  visit_words(x.numel, state, [=](int64_t first, const uint32_t* words, int64_t n) {
    const auto drop = [&](const float* values, float* result, uint8_t* flags) {
      random_kernels().dropout(words, limit, factor, values, result, flags);
    };
    if (direct && n == kWords) {
      const int64_t at = first * size;
      return drop(reinterpret_cast<const float*>(from + at), reinterpret_cast<float*>(to + at),
                  mask + first);
    }
    float block[kWords] = {};
    uint8_t flags[kWords];
    read(n, block, from + first * size, 1);
    drop(block, block, flags);
    write(n, to + first * size, block, 1);
    std::copy_n(flags, n, mask + first);
  });
}

void dropout_kernel(KernelContext& ctx) {
  const TensorImpl& x = ctx.in(0);
  const double p = ctx.scalar(2).to_double();
  const bool test = ctx.b(3), upscale = ctx.text(4) == "upscale_in_train";
  uint8_t* mask = ctx.out_data<uint8_t>(1);
  int64_t seed = ctx.b(6) ? ctx.i(5) : 0;
  if (ctx.has(1)) seed = ctx.in_tensor(1).item().to_int();
  const RandomState s = seeded(ctx, seed);
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
  if (test) {
    parallel_for(0, x.numel, 16384, [&](int64_t begin, int64_t end) {
      double block[kWords];
      std::memset(mask + begin, 1, static_cast<size_t>(end - begin));
      for (int64_t i = begin; i < end; i += kWords) {
        const int64_t n = std::min(kWords, end - i);
        read(n, block, from + i * size, 1);
        for (int64_t j = 0; j < n; ++j) block[j] *= factor;
        write(n, to + i * size, block, 1);
      }
    });
    return;
  }
  if (x.dtype != DType::kFloat64 && limit <= UINT32_MAX) {
    return drop_blocks(x, ctx.out(0), s, static_cast<uint32_t>(limit), static_cast<float>(factor),
                       mask);
  }
  visit_words(x.numel, s, [=](int64_t first, const uint32_t* words, int64_t n) {
    double block[kWords];
    read(n, block, from + first * size, 1);
    for (int64_t j = 0; j < n; ++j) {
      const bool keep = words[j] >= limit;
      mask[first + j] = keep;
      block[j] = keep ? block[j] * factor : 0.0;
    }
    write(n, to + first * size, block, 1);
  });
}

}  // namespace

void register_creation_cpu(Registry& r) {
  init_loop_tables();
  const auto add = [&](const char* name, KernelFn fn, bool strided = false) {
    r.kernel(
        name, DeviceKind::kCpu,
        {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
         DType::kFloat8E4M3, DType::kFloat8E5M2, DType::kFloat16, DType::kBFloat16, DType::kFloat32,
         DType::kFloat64, DType::kComplex64, DType::kComplex128},
        fn, strided);
  };
  add("full", full_kernel);
  add("full_like", full_kernel, true);  // reads no element
  add("fill", full_kernel);
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

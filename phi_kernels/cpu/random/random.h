// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What random kernels share: element i of a result depends on the generator's state and on i only,
// never on the number of threads; where the result is a part of a larger tensor
// (RandomState::elements), on the place that it has there.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "paddle_core/device/execution_context.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/op_def.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/random/random_blocks.h"

namespace paddle::cpu {

// What a kernel draws from. `elements`: where the elements of the result lie in a larger tensor,
// whose numbers they get; null: the result is whole.
struct RandomState : PhiloxState {
  const ElementMap* elements = nullptr;
};

inline RandomState random_state(const KernelContext& ctx) {
  return {ctx.random(), thread_binding.elements};
}
inline RandomState seeded(const KernelContext& ctx, int64_t seed) {
  RandomState s = random_state(ctx);
  if (seed != 0) s.seed = static_cast<uint64_t>(seed), s.offset = 0;
  return s;
}
// The state of an operator whose numbers do not belong to single elements of its result.
inline RandomState whole_state(const KernelContext& ctx) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !thread_binding.elements, ctx.op().name(),
                    ": a part of the result cannot be drawn, since its elements depend on each "
                    "other; draw the whole and cut it.");
  return {ctx.random(), nullptr};
}
// 64 random bits for element i.
inline uint64_t bits64(RandomState s, int64_t i) {
  if (s.elements) [[unlikely]]
    i = (*s.elements)(i);
  const auto r = philox(s, static_cast<uint64_t>(i >> 1));
  return (i & 1) ? (uint64_t{r[3]} << 32 | r[2]) : (uint64_t{r[1]} << 32 | r[0]);
}
// [0, 1)
inline double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// As many numbers as one element needs: SplitMix64 (Steele, Lea, Flood 2014) from the element's
// bits.
class ElementStream {
 public:
  ElementStream(RandomState s, int64_t i) : state_(bits64(s, i)) {}
  uint64_t bits() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return unit(bits()); }         // [0, 1)
  double positive() { return 1.0 - unit(bits()); }  // (0, 1]
  double exponential() { return -std::log(positive()); }
  double normal() {  // Box-Muller
    const double r = std::sqrt(2 * exponential());
    return r * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  uint64_t state_;
};

// Computes element i as a From by fn(i) and stores it in out's dtype.
template <typename From, typename Fn>
void generate(const TensorImpl& out, Fn fn) {
  const Convert convert =
      loop_tables.convert[static_cast<int>(DTypeOf<From>::value)][static_cast<int>(out.dtype)];
  char* to = static_cast<char*>(out.data());
  const int64_t size = static_cast<int64_t>(size_of(out.dtype));
  parallel_for(0, out.numel, 16384, [&](int64_t begin, int64_t end) {
    From block[256];
    if (out.dtype == DTypeOf<From>::value) {
      From* all = reinterpret_cast<From*>(to);
      for (int64_t i = begin; i < end; ++i) all[i] = fn(i);
      return;
    }
    for (int64_t i = begin; i < end; i += 256) {
      const int64_t n = std::min<int64_t>(256, end - i);
      for (int64_t k = 0; k < n; ++k) block[k] = fn(i + k);
      convert(n, to + i * size, block, 1);
    }
  });
}

inline const RandomKernels& random_kernels() {
  return isa() == Isa::kAvx512 ? random_avx512 : random_avx2;
}

// The same as generate_blocks() for a part of a larger tensor: of each block of the whole that the
// part meets, the numbers that belong to it.
template <typename T, typename Fill>
void generate_part(const TensorImpl& out, RandomState state, Fill fill) {
  constexpr int64_t kNumbers = kWords * int64_t{sizeof(uint32_t)} / int64_t{sizeof(T)};
  const Convert convert =
      loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(out.dtype)];
  char* to = static_cast<char*>(out.data());
  const int64_t size = static_cast<int64_t>(size_of(out.dtype));
  parallel_for(0, out.numel, 16384, [&](int64_t begin, int64_t end) {
    alignas(64) uint32_t words[kWords];
    alignas(64) T block[kNumbers];
    int64_t held = -1;
    state.elements->each_run(begin, end, [&](int64_t i, int64_t at, int64_t count) {
      for (const int64_t last = i + count; i < last;) {
        if (at / kNumbers != held) {
          held = at / kNumbers;
          random_kernels().words(state, static_cast<uint64_t>(held), words);
          fill(words, block);
        }
        const int64_t inside = at % kNumbers, taken = std::min(kNumbers - inside, last - i);
        convert(taken, to + i * size, block + inside, 1);
        i += taken;
        at += taken;
      }
    });
  });
}

// Computes the elements as numbers of T, float or double, a block of words at a time, by
// fill(words, numbers), and stores them in out's dtype.
template <typename T, typename Fill>
void generate_blocks(const TensorImpl& out, RandomState state, Fill fill) {
  if (state.elements) [[unlikely]]
    return generate_part<T>(out, state, fill);
  constexpr int64_t kNumbers = kWords * int64_t{sizeof(uint32_t)} / int64_t{sizeof(T)};
  const Convert convert =
      loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(out.dtype)];
  char* to = static_cast<char*>(out.data());
  const int64_t size = static_cast<int64_t>(size_of(out.dtype)), n = out.numel;
  const bool direct = out.dtype == DTypeOf<T>::value;
  const RandomKernels& random = random_kernels();
  parallel_for(0, (n + kNumbers - 1) / kNumbers, 256, [&](int64_t begin, int64_t end) {
    alignas(64) uint32_t words[kWords];
    alignas(64) T block[kNumbers];
    for (int64_t b = begin; b < end; ++b) {
      random.words(state, static_cast<uint64_t>(b), words);
      const int64_t count = std::min(kNumbers, n - b * kNumbers);
      char* at = to + b * kNumbers * size;
      if (direct && count == kNumbers) {
        fill(words, reinterpret_cast<T*>(at));
      } else {
        fill(words, block);
        convert(count, at, block, 1);
      }
    }
  });
}

// low + width u, u in [0, 1); in double for a float64 result.
inline void generate_uniform(const TensorImpl& out, RandomState state, double low, double width) {
  if (out.dtype == DType::kFloat64) {
    const auto wide = random_kernels().uniform_wide;
    return generate_blocks<double>(
        out, state, [=](const uint32_t* words, double* to) { wide(words, low, width, to); });
  }
  const auto uniform = random_kernels().uniform;
  const float first = static_cast<float>(low), extent = static_cast<float>(width);
  generate_blocks<float>(
      out, state, [=](const uint32_t* words, float* to) { uniform(words, first, extent, to); });
}

// mean + deviation z, z of the standard normal distribution; in double for a float64 result.
inline void generate_normal(const TensorImpl& out, RandomState state, double mean,
                            double deviation) {
  if (out.dtype == DType::kFloat64) {
    const auto wide = random_kernels().normal_wide;
    return generate_blocks<double>(
        out, state, [=](const uint32_t* words, double* to) { wide(words, mean, deviation, to); });
  }
  const auto normal = random_kernels().normal;
  const float m = static_cast<float>(mean), d = static_cast<float>(deviation);
  generate_blocks<float>(out, state,
                         [=](const uint32_t* words, float* to) { normal(words, m, d, to); });
}

// The words of elements [first, first + n) of a part of a larger tensor.
inline void words_of_part(RandomState state, int64_t first, int64_t n, uint32_t* words) {
  alignas(64) uint32_t block[kWords];
  int64_t held = -1;
  state.elements->each_run(first, first + n, [&](int64_t i, int64_t at, int64_t count) {
    for (int64_t k = 0; k < count; ++k, ++at) {
      if (at / kWords != held) {
        held = at / kWords;
        random_kernels().words(state, static_cast<uint64_t>(held), block);
      }
      words[i - first + k] = block[at % kWords];
    }
  });
}

// visit(first element, words, count) for every block of n elements.
template <typename Visit>
void visit_words(int64_t n, RandomState state, Visit visit) {
  const RandomKernels& random = random_kernels();
  parallel_for(0, (n + kWords - 1) / kWords, 256, [&](int64_t begin, int64_t end) {
    alignas(64) uint32_t words[kWords] = {};
    for (int64_t b = begin; b < end; ++b) {
      const int64_t count = std::min(kWords, n - b * kWords);
      if (state.elements) [[unlikely]] {
        words_of_part(state, b * kWords, count, words);
      } else {
        random.words(state, static_cast<uint64_t>(b), words);
      }
      visit(b * kWords, words, count);
    }
  });
}

}  // namespace paddle::cpu

// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of four-bit numbers, and the rotation of quantised rows, for an instruction set; part of
// paged_tile_impl.h. A packed row (paged_cache.h) has units of 32 numbers: byte j < 16 of a unit
// holds the code of number j in its lower half and that of number j + 16 in its upper half. A code
// stands for one of sixteen levels, which is multiplied by the scale of its group of 16 numbers.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "phi_kernels/cpu/attention/paged_cache.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kCodeBytes = kPackedUnit / 2;

// The levels lose least of numbers of a normal distribution, which rotated ones nearly have, where
// the one furthest from 0 of each sixteen is made -1 (Lloyd, "Least squares quantization in PCM",
// 1982, with the squares of the scales as weights).
alignas(64) constexpr float kLevels[16] = {-1.0f,       -0.8046480f, -0.6468183f, -0.5133548f,
                                           -0.3934485f, -0.2835553f, -0.1802672f, -0.0796003f,
                                           0.0192959f,  0.1185561f,  0.2203427f,  0.3273118f,
                                           0.4418422f,  0.5683776f,  0.7140064f,  0.8883283f};
// The code of the nearest level of x, not rounded: a polynomial through the bounds between levels,
// which it misses by 0.003 of a code at most.
constexpr float kCode[6] = {7.80602519f,  10.09264063f, -0.08613929f,
                            -3.21532014f, 0.05804977f,  0.88675023f};

#if defined(__AVX512F__)
// Scales of n <= 16 groups.
inline void read_group_scales(const char* p, int64_t n, float* to) {
  const auto some = static_cast<__mmask16>((1U << n) - 1);
  const __m128i bytes = _mm_maskz_loadu_epi8(some, p);
  _mm512_store_ps(to, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)));
}
using Codes = __m512i;
inline Codes codes_at(const char* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Codes upper_half(Codes c) { return _mm512_srli_epi32(c, 4); }
// The lowest four bits of each lane count.
inline Vec levels_of(Codes c) { return Vec(_mm512_permutexvar_ps(c, _mm512_load_ps(kLevels))); }
inline Codes rounded(Vec v) { return _mm512_cvtps_epi32(__m512(v)); }
inline void store_codes(unsigned char* to, Codes c) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(c));
}
#else
inline void read_group_scales(const char* p, int64_t n, float* to) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + i));
    _mm256_store_ps(to + i, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)));
  }
  for (; i < n; ++i) to[i] = static_cast<float>(static_cast<signed char>(p[i]));
}
using Codes = __m256i;
inline Codes codes_at(const char* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
inline Codes upper_half(Codes c) { return _mm256_srli_epi32(c, 4); }
inline Vec levels_of(Codes c) {
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(kLevels), c);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_load_ps(kLevels + 8), c);
  return Vec(_mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(c, 28))));
}
inline Codes rounded(Vec v) { return _mm256_cvtps_epi32(__m256(v)); }
inline void store_codes(unsigned char* to, Codes c) {
  alignas(32) int lanes[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), c);
  for (int i = 0; i < 8; ++i) to[i] = static_cast<unsigned char>(lanes[i]);
}
#endif

// The numbers of a unit; s: the scales of its two groups.
inline void unpack_unit(const char* p, const float* s, float* to) {
  for (int64_t i = 0; i < kPackedGroup; i += kLanes) {
    const Codes codes = codes_at(p + i);
    store(to + i, levels_of(codes) * s[0]);
    store(to + kPackedGroup + i, levels_of(upper_half(codes)) * s[1]);
  }
}

// The numbers of a packed row but for the scale of the row; `padded` is a multiple of kPackedUnit.
inline void unpack_row(const char* p, int64_t padded, float* to) {
  constexpr int64_t kScales = 16;
  const char* const scales = p + padded / 2;
  alignas(kVectorBytes) float s[kScales];
  for (int64_t d = 0; d < padded; d += kScales * kPackedGroup) {
    const int64_t rest = padded - d < kScales * kPackedGroup ? padded - d : kScales * kPackedGroup;
    read_group_scales(scales + d / kPackedGroup, rest / kPackedGroup, s);
    for (int64_t i = 0; i < rest; i += kPackedUnit) {
      unpack_unit(p + (d + i) / kPackedUnit * kCodeBytes, s + i / kPackedGroup, to + d + i);
    }
  }
}

inline Vec larger(Vec a, Vec b) { return a > b ? a : b; }
inline Vec smaller(Vec a, Vec b) { return a < b ? a : b; }
// Joins halves, quarters and so on of a vector.
template <typename Join>
inline float folded(Vec v, Join join) {
#if defined(__AVX512F__)
  const __m512 all(v);
  const __m256 half(join(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1)));
#else
  const __m256 half(v);
#endif
  __m128 four(join(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
  four = join(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(join(four, _mm_movehdup_ps(four)));
}
inline float sum_of(Vec v) {
  return folded(v, [](auto x, auto y) { return x + y; });
}
inline float largest_of(Vec v) {
  return folded(v, [](auto x, auto y) { return x > y ? x : y; });
}
constexpr int64_t kGroupVectors = kPackedGroup / kLanes;

// scales[g] = - the number of group g that is furthest from 0; returns the largest magnitude of
// them, NaN where a number is not finite.
float group_scales(const float* x, int64_t padded, float* scales) {
  float most = 0;
  Vec all{};
  for (int64_t g = 0; g < padded / kPackedGroup; ++g) {
    Vec high{}, low{};
    for (int64_t i = 0; i < kGroupVectors; ++i) {
      const Vec v = load(x + g * kPackedGroup + i * kLanes);
      high = larger(high, v);
      low = smaller(low, v);
      all += v * 0.0f;
    }
    const float top = largest_of(high), bottom = -largest_of(-low);
    scales[g] = -bottom > top ? -bottom : -top;
    most = top > most ? top : most;
    most = -bottom > most ? -bottom : most;
  }
  return most + sum_of(all);
}

// Codes of a group for a scale, and the sum of squares of what they lose.
inline float encode(const float* x, float scale, Codes (&codes)[kGroupVectors]) {
  const float inverse = scale != 0 ? 1.0f / scale : 0.0f;
  Vec loss{};
  for (int64_t i = 0; i < kGroupVectors; ++i) {
    const Vec number = load(x + i * kLanes);
    const Vec v = smaller(larger(number * inverse, Vec{} - 1.0f), Vec{} + 1.0f);
    Vec code = Vec{} + kCode[5];
    for (int k = 4; k >= 0; --k) code = code * v + kCode[k];
    codes[i] = rounded(smaller(larger(code, Vec{}), Vec{} + 15.0f));
    const Vec error = levels_of(codes[i]) * scale - number;
    loss += error * error;
  }
  return sum_of(loss);
}

// The bytes of a packed row but for the scale of the row; `row_scale` is that scale, or 0 where all
// numbers count as 0. Of some scales of a group, which cut off its extreme or leave room above it,
// the one that loses least is taken.
void pack(const float* x, int64_t padded, float row_scale, const float* scales, char* to) {
  constexpr float kShares[] = {1.0f, 0.95f, 0.9f, 0.85f, 1.05f};
  const float inverse = row_scale > 0 ? 1.0f / row_scale : 0.0f;
  for (int64_t d = 0; d < padded; d += kPackedUnit) {
    unsigned char codes[kPackedUnit];
    for (int64_t h = 0; h < kPackedUnit; h += kPackedGroup) {
      const int64_t g = (d + h) / kPackedGroup;
      Codes best[kGroupVectors];
      float least = __builtin_inff(), taken = 0;
      for (const float share : kShares) {
        const float multiple = scales[g] * share * inverse;
        const float at_most = multiple > 127.0f ? 127.0f : multiple < -127.0f ? -127.0f : multiple;
        const float rounded_scale = __builtin_nearbyintf(at_most);
        Codes now[kGroupVectors];
        const float loss = encode(x + d + h, rounded_scale * row_scale, now);
        if (!(loss < least)) continue;
        least = loss;
        taken = rounded_scale;
        for (int64_t i = 0; i < kGroupVectors; ++i) best[i] = now[i];
      }
      if (least == __builtin_inff()) encode(x + d + h, 0, best);
      to[padded / 2 + g] = static_cast<char>(static_cast<int>(taken));
      for (int64_t i = 0; i < kGroupVectors; ++i) store_codes(codes + h + i * kLanes, best[i]);
    }
    for (int64_t i = 0; i < kCodeBytes; ++i) {
      to[d / kPackedUnit * kCodeBytes + i] =
          static_cast<char>(codes[i] | (codes[i + kCodeBytes] << 4));
    }
  }
}

// One stage of the fast Walsh-Hadamard transform: (a, b) kBy numbers apart become (a + b, a - b).
// kInVector: both lie in one vector.
template <int kBy, int... kLane>
inline Vec stage_in_vector(Vec v, std::integer_sequence<int, kLane...>) {
  using Places = decltype(v < v);
  const Vec other = __builtin_shuffle(v, Places{(kLane ^ kBy)...});
  return other + v * Vec{((kLane & kBy) != 0 ? -1.0f : 1.0f)...};
}
template <int kBy>
inline void stages_in_vectors(float* x, int64_t n) {
  for (int64_t i = 0; i < n; i += kLanes) {
    const auto lanes = std::make_integer_sequence<int, static_cast<int>(kLanes)>();
    store(x + i, stage_in_vector<kBy>(load(x + i), lanes));
  }
  if constexpr (2 * kBy < kLanes) stages_in_vectors<2 * kBy>(x, n);
}

template <typename Number>
inline void stage(float* x, int64_t by, int64_t n) {
  constexpr int64_t kStep = sizeof(Number) / sizeof(float);
  for (int64_t i = 0; i < n; i += 2 * by) {
    for (int64_t j = i; j < i + by; j += kStep) {
      Number a, b;
      __builtin_memcpy(&a, x + j, sizeof(a));
      __builtin_memcpy(&b, x + j + by, sizeof(b));
      const Number sum = a + b, difference = a - b;
      __builtin_memcpy(x + j, &sum, sizeof(a));
      __builtin_memcpy(x + j + by, &difference, sizeof(b));
    }
  }
}

void rotate(float* x, int64_t block, int64_t n) {
  if (block == 1) return;
  if (block < kLanes) {
    for (int64_t by = 1; by < block; by *= 2) stage<float>(x, by, n);
  } else {
    stages_in_vectors<1>(x, n);
    for (int64_t by = kLanes; by < block; by *= 2) stage<Vec>(x, by, n);
  }
  const float factor = 1.0f / __builtin_sqrtf(static_cast<float>(block));
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

}  // namespace
}  // namespace paddle::cpu

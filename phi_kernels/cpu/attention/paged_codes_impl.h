// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of four-bit numbers, and the rotation of quantised rows, for an instruction set; part of
// paged_tile_impl.h. A packed row (paged_cache.h) has units of 32 numbers: byte j < 16 of a unit
// holds number j in its lower half and number j + 16 in its upper half, each a multiple, from -8 to
// 7, of the scale of its group of 16, plus 8.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "phi_kernels/cpu/attention/paged_cache.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kCodeBytes = kPackedUnit / 2;

#if defined(__AVX512F__)
// Scales of n <= 16 groups.
inline void read_group_scales(const char* p, int64_t n, float* to) {
  const auto some = static_cast<__mmask16>((1U << n) - 1);
  const __m128i bytes = _mm_maskz_loadu_epi8(some, p);
  _mm512_store_ps(to, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)));
}
// The numbers of a unit; s: the scales of its two groups.
inline void unpack_unit(const char* p, const float* s, float* to) {
  const __m512 multiples = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
  const __m512i codes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  // An index of sixteen is four bits of a lane; what is above does not count.
  const Vec low(_mm512_permutexvar_ps(codes, multiples));
  const Vec high(_mm512_permutexvar_ps(_mm512_srli_epi32(codes, 4), multiples));
  store(to, low * s[0]);
  store(to + kPackedGroup, high * s[1]);
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
inline void unpack_unit(const char* p, const float* s, float* to) {
  const __m256i four = _mm256_set1_epi32(15);
  for (int64_t i = 0; i < kPackedGroup; i += kLanes) {
    const __m256i codes =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + i)));
    const Vec low(_mm256_cvtepi32_ps(_mm256_and_si256(codes, four)));
    const Vec high(_mm256_cvtepi32_ps(_mm256_srli_epi32(codes, 4)));
    store(to + i, (low - 8.0f) * s[0]);
    store(to + kPackedGroup + i, (high - 8.0f) * s[1]);
  }
}
#endif

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

// scales[g] = - extreme / 8, where extreme is the number of group g that is furthest from 0;
// returns the largest magnitude of a scale, NaN where a number is not finite.
float group_scales(const float* x, int64_t padded, float* scales) {
  float most = 0, all = 0;
  for (int64_t g = 0; g < padded / kPackedGroup; ++g) {
    float high = 0, low = 0;
    for (int64_t i = 0; i < kPackedGroup; ++i) {
      const float v = x[g * kPackedGroup + i];
      high = v > high ? v : high;
      low = v < low ? v : low;
      all += v * 0.0f;
    }
    scales[g] = (-low > high ? low : high) * -0.125f;
    const float magnitude = scales[g] < 0 ? -scales[g] : scales[g];
    most = magnitude > most ? magnitude : most;
  }
  return most + all;
}

// The bytes of a packed row but for the scale of the row; `row_scale` is that scale, or 0 where all
// numbers count as 0. scales: of groups, replaced.
void pack(const float* x, int64_t padded, float row_scale, float* scales, char* to) {
  const float inverse = row_scale > 0 ? 1.0f / row_scale : 0.0f;
  char* const bytes = to + padded / 2;
  for (int64_t g = 0; g < padded / kPackedGroup; ++g) {
    float whole = __builtin_nearbyintf(scales[g] * inverse);
    whole = whole > 127.0f ? 127.0f : whole;
    whole = whole < -127.0f ? -127.0f : whole;
    bytes[g] = static_cast<char>(static_cast<int>(whole));
    const float scale = whole * row_scale;
    scales[g] = scale != 0 ? 1.0f / scale : 0.0f;
  }
  for (int64_t d = 0; d < padded; d += kPackedUnit) {
    int codes[kPackedUnit];
    for (int64_t i = 0; i < kPackedUnit; ++i) {
      float v = __builtin_nearbyintf(x[d + i] * scales[(d + i) / kPackedGroup]);
      v = v < -8.0f ? -8.0f : v;
      v = v > 7.0f ? 7.0f : v;
      codes[i] = static_cast<int>(v) + 8;
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

void rotate(float* x, int64_t block, int64_t n) {
  if (block == 1) return;
  int64_t by = 1;
  if (block >= kLanes) {
    stages_in_vectors<1>(x, n);
    by = kLanes;
  }
  for (; by < block; by *= 2) {
    for (int64_t i = 0; i < n; i += 2 * by) {
      for (int64_t j = i; j < i + by; ++j) {
        const float a = x[j], b = x[j + by];
        x[j] = a + b;
        x[j + by] = a - b;
      }
    }
  }
  const float factor = 1.0f / __builtin_sqrtf(static_cast<float>(block));
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

}  // namespace
}  // namespace paddle::cpu

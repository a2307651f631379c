// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of floats as wide as the instruction set has them, for bodies that are included once per
// instruction set; in an anonymous namespace, as in rows_impl.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "paddle_core/type/float16.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif
constexpr int64_t kLanes = kVectorBytes / 4;

using Vec __attribute__((vector_size(kVectorBytes))) = float;

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
#if defined(__AVX512F__)
// Every lane is written; the forms without a mask read what was never written (GCC bug 105593).
constexpr __mmask16 kEveryLane = 0xFFFF;
[[maybe_unused]] inline Vec load(const float16* p) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return Vec(_mm512_maskz_cvtph_ps(kEveryLane, halves));
}
[[maybe_unused]] inline Vec load(const bfloat16* p) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m512i wide = _mm512_maskz_cvtepu16_epi32(kEveryLane, halves);
  return Vec(_mm512_maskz_slli_epi32(kEveryLane, wide, 16));
}
#else
[[maybe_unused]] inline Vec load(const float16* p) {
  return Vec(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
[[maybe_unused]] inline Vec load(const bfloat16* p) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return Vec(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}
#endif
[[maybe_unused]] inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof(v)); }

// The lanes from `begin` up to `end` of a vector in memory; the others are not touched, and read as
// zeros.
struct Part {
#if defined(__AVX512F__)
  __mmask16 mask;
  Part() = default;
  Part(int64_t begin, int64_t end) : mask(static_cast<__mmask16>((1U << end) - (1U << begin))) {}
  Vec load(const float* p) const { return Vec(_mm512_maskz_loadu_ps(mask, p)); }
  void store(float* p, Vec v) const { _mm512_mask_storeu_ps(p, mask, __m512(v)); }
#else
  __m256i mask;
  Part() = default;
  Part(int64_t begin, int64_t end) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    mask =
        _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(begin)), lanes),
                            _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(end)), lanes));
  }
  Vec load(const float* p) const { return Vec(_mm256_maskload_ps(p, mask)); }
  void store(float* p, Vec v) const { _mm256_maskstore_ps(p, mask, __m256(v)); }
#endif
};

}  // namespace
}  // namespace paddle::cpu
